# SPDX-License-Identifier: Apache-2.0
"""Files and folders that appear under their names whole, or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from partita.errors import InputError


def write_text(path: str | os.PathLike, text: str) -> None:
    """Writes a file; one of that name is replaced once the new one is whole."""
    target = Path(path)
    try:
        file, temporary = tempfile.mkstemp(prefix=".partita-", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(file, "w", encoding="utf-8") as stream:
                stream.write(text)
            mask = os.umask(0)  # mkstemp made the file for this user alone
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}; choose another path") from None


def write_json(path: str | os.PathLike, document: Any, indent: int = 1) -> None:
    """Writes a document for people and programs to read."""
    write_text(path, json.dumps(document, indent=indent) + "\n")


@contextlib.contextmanager
def folder_to_be(folder: Path) -> Iterator[Path]:
    """Where to make a folder that gets its name at the end, and takes the place of one that has it; the folder above
    it must be there. Example:

        with folder_to_be(Path("stages")) as made:
            made.mkdir()
            (made / "stage_0.onnx").write_bytes(model)
    """
    with tempfile.TemporaryDirectory(prefix=".partita-", dir=folder.parent) as work:
        made = Path(work) / "made"
        yield made
        if folder.is_dir():
            shutil.rmtree(folder)
        os.replace(made, folder)
