# SPDX-License-Identifier: Apache-2.0
"""What every script here needs: where things are, how commands are run, and one time for all files of a package."""
import os
import pathlib
import re
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent
WORK = SOURCE / "build-package"  # all that is made on the way
DIST = SOURCE / "dist"           # the packages


class Failed(Exception):
    """Something that the user must know, in one line; `details` is what a command printed."""

    def __init__(self, line: str, details: str = ""):
        super().__init__(line)
        self.details = details


def say(line: str) -> None:
    print(f"== {line}", flush=True)


def run(*command, **options) -> str:
    """Runs a command, quietly unless it fails, and returns what it wrote to standard output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, text=True, stdin=subprocess.DEVNULL, capture_output=True, **options)
    except FileNotFoundError:
        raise Failed(f"the program '{words[0]}' is not installed") from None
    if done.returncode != 0:
        raise Failed(f"'{' '.join(words)[:300]}' ended with status {done.returncode}", done.stdout + done.stderr)
    return done.stdout


def version() -> str:
    """The one version there is: that of the project in CMakeLists.txt."""
    found = re.search(r"project\(partita VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())
    if not found:
        raise Failed("CMakeLists.txt names no version; expected 'project(partita VERSION ...)'")
    return found.group(1)


def source_time() -> int:
    """The time that all files of a package bear, in seconds since 1970, so that the same sources give the same
    packages: that of SOURCE_DATE_EPOCH, of the last commit, or of the change log where there is no history."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    try:
        return int(run("git", "-C", SOURCE, "log", "-1", "--format=%ct"))
    except Failed:
        return int((SOURCE / "CHANGELOG.md").stat().st_mtime)


def fresh_folder(path: pathlib.Path) -> pathlib.Path:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def set_times(folder: pathlib.Path) -> None:
    """Gives everything in a folder the time of the sources, and the modes that files of a package have."""
    seconds = source_time()
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) and is_program(path) else 0o644)
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def is_program(path: pathlib.Path) -> bool:
    return path.parent.name == "bin"
