# SPDX-License-Identifier: Apache-2.0
"""Files and folders appear whole or not at all, and nothing is left beside them."""

import os

import pytest

from partita.errors import InputError
from partita.files import folder_to_be, write_json, write_text


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_file_takes_the_place_of_one(tmp_path):
    write_text(tmp_path / "a.json", "first")
    write_json(tmp_path / "a.json", {"é": [1]})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n "\\u00e9": [\n  1\n ]\n}\n'
    (tmp_path / "plain").touch()
    assert (tmp_path / "a.json").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert names(tmp_path) == ["a.json", "plain"]


def test_a_path_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("a.txt", "here")
    assert names(tmp_path) == ["a.txt"] and (tmp_path / "a.txt").read_text() == "here"


def test_what_cannot_be_written_leaves_nothing(tmp_path):
    write_text(tmp_path / "a.txt", "before")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.txt", "\ud800")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").touch()
    for path in ("missing/a.txt", "folder"):
        with pytest.raises(InputError, match=f"{path}: cannot be written: .*; choose another path$"):
            write_text(tmp_path / path, "text")
    assert names(tmp_path) == ["a.txt", "folder"] and (tmp_path / "a.txt").read_text() == "before"


def test_a_folder_gets_its_name_at_the_end(tmp_path):
    folder = tmp_path / "stages"
    for content in ("first", "second"):
        with folder_to_be(folder) as made:
            made.mkdir()
            (made / content).touch()
            assert not folder.exists() or names(folder) == ["first"]
    assert names(folder) == ["second"] and names(tmp_path) == ["stages"]
    with pytest.raises(KeyboardInterrupt), folder_to_be(folder) as made:
        made.mkdir()
        raise KeyboardInterrupt
    assert names(folder) == ["second"] and names(tmp_path) == ["stages"]
    os.mkdir(tmp_path / "plain")
    assert folder.stat().st_mode == (tmp_path / "plain").stat().st_mode
