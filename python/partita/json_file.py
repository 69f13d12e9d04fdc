# SPDX-License-Identifier: Apache-2.0
"""Files of Partita's own formats: JSON that says what it is, `{"partita": {"format": "plan", "version": 1}, ...}`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from partita.errors import InputError

_MISSING = object()


def read_json(path, format_name: str, version: int) -> dict:
    """The object in a file of the given format, plain or gzipped; a newer version than `version` is refused."""
    path = Path(path)
    try:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        value = json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError) as error:
        raise InputError(f"{path}: is not JSON: {error}") from None
    return checked_format(value, path, format_name, version)


def checked_format(value, where, format_name: str, version: int) -> dict:
    """The same for what was read already; `where` is for errors."""
    mark = value.get("partita") if isinstance(value, dict) else None
    if not isinstance(mark, dict) or mark.get("format") != format_name:
        found = mark.get("format") if isinstance(mark, dict) else None
        raise InputError(f"{where}: is no {format_name} of Partita's"
                         + (f" but a {found}" if found else ": it has no field partita.format"))
    if not isinstance(mark.get("version"), int) or mark["version"] > version:
        raise InputError(f"{where}: is of version {mark.get('version')} of the format {format_name}; "
                         f"this program reads up to {version}")
    return value


class Fields:
    """The fields of a JSON object, with errors that say where they are."""

    def __init__(self, value: dict, where: str):
        if not isinstance(value, dict):
            raise InputError(f"{where}: found {_shortened(value)}, expected an object")
        self.value = value
        self.where = where

    def error(self, name: str, found, expected: str) -> InputError:
        return InputError(f"{self.where}.{name}: found {_shortened(found)}, expected {expected}")

    def get(self, name: str, default=_MISSING):
        found = self.value.get(name, default)
        if found is _MISSING:
            raise InputError(f"{self.where}: the field {name} is missing")
        return default if found is None and default is not _MISSING else found

    def text(self, name: str) -> str:
        found = self.get(name)
        if not isinstance(found, str):
            raise self.error(name, found, "a text")
        return found

    def integer(self, name: str) -> int:
        found = self.get(name)
        if not isinstance(found, int) or isinstance(found, bool):
            raise self.error(name, found, "an integer")
        return found

    def number(self, name: str, default=_MISSING) -> float:
        found = self.get(name, default)
        if not isinstance(found, (int, float)) or isinstance(found, bool):
            raise self.error(name, found, "a number")
        return found

    def rows(self, name: str) -> list[Fields]:
        found = self.get(name)
        if not isinstance(found, list):
            raise self.error(name, found, "a list")
        return [Fields(one, f"{self.where}.{name}[{index}]") for index, one in enumerate(found)]


def _shortened(value) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
