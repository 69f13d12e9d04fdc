# SPDX-License-Identifier: Apache-2.0
"""The two programs of `./dev build`, the library and their documents, laid out as below /usr."""
import gzip
import os
import pathlib
import shutil

from common import SOURCE, WORK, fresh_folder, run

PROGRAMS = ("partita", "partita-check")
# Small ones; models come with the sources.
EXAMPLES = ("*.md", "*.json", "*.json.gz", "embed/*", "platforms/*", "models/*.json")


def install(build_folder: pathlib.Path) -> pathlib.Path:
    """Installs a build with everything that belongs to it, and returns the folder that stands for /usr."""
    stage = fresh_folder(WORK / "stage")
    run("cmake", "--install", build_folder, "--prefix", "/usr", "--strip", env={**os.environ, "DESTDIR": str(stage)})
    usr = stage / "usr"
    for archive in usr.glob("lib/**/*.a"):
        run("strip", "--strip-debug", "--enable-deterministic-archives", archive)
    completion = usr / "share/bash-completion/completions/partita"
    completion.parent.mkdir(parents=True)
    completion.write_text(run(usr / "bin/partita", "completion", "bash"))
    add_documents(usr / "share/doc/partita")
    return usr


def add_documents(folder: pathlib.Path) -> None:
    """What the README leads to, by the same relative paths."""
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(SOURCE / name, folder)
    shutil.copytree(SOURCE / "docs", folder / "docs")
    for pattern in EXAMPLES:
        for path in (SOURCE / "examples").glob(pattern):
            if path.is_file():
                to = folder / path.relative_to(SOURCE)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)


def compress(path: pathlib.Path) -> None:
    """file to file.gz, without name and time inside."""
    with open(f"{path}.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(path.read_bytes())
    path.unlink()
