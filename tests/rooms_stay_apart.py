#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the rooms of partita/ apart, and their sources in order.

usage: rooms_stay_apart.py SOURCE_DIR

The table of rooms is the one CMake builds from: the partita_room() lines of CMakeLists.txt. A room may include its own
headers and those of the rooms it USES. Public headers are those named in cmake/InstallPartita.cmake; they include none but
public ones, those of partita::core none but its own, and no library that consumers need not have.
Prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

GENERATED = "partita/version.h"  # by CMake, from version.h.in; it knows no room, and any may include it
OPTION_NAMES = "partita/ask/option_names.cpp"  # the table by which programs translate
PRIVATE_LIBRARIES = ("nlohmann/", "CLI/", "zlib.h", "Cbc", "Clp", "Coin", "Osi", "interfaces/highs", "scotch.h", "metis.h")
SPDX = {".h": "// SPDX-License-Identifier: Apache-2.0", ".cpp": "// SPDX-License-Identifier: Apache-2.0"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
ROOM = re.compile(r"^\s*partita_room\(\s*([\w/]+)([^)]*)\)", re.MULTILINE)
LIST = re.compile(r"^\s*set\((\w+)((?:\s+[\w/]+)+)\)", re.MULTILINE)


def read_rooms(cmake_text):
    """{room: rooms it may include from}, out of CMakeLists.txt. A room may be a folder in a folder: "solve/free"."""
    for name, entries in LIST.findall(cmake_text):
        cmake_text = cmake_text.replace("${" + name + "}", entries.strip())
    rooms = {}
    for name, rest in ROOM.findall(cmake_text):
        uses = re.search(r"\bUSES\b((?:\s+(?!LIBRARIES\b)[\w/]+)*)", rest)
        rooms[name] = {name} | set(uses.group(1).split() if uses else ())
    return rooms


def room_of(parts, rooms):
    """The room that a file of partita/ stands in, its path given in parts: the innermost that is in the table."""
    for length in range(len(parts) - 1, 0, -1):
        if "/".join(parts[:length]) in rooms:
            return "/".join(parts[:length])
    return None


def includes_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def check_includes(root, rooms):
    library = root / "partita"
    for path in sorted(p for p in library.rglob("*") if p.suffix in SPDX):
        parts = path.relative_to(library).parts
        room = room_of(parts, rooms)  # none for files of partita/ itself, which see everything
        where = path.relative_to(root)
        if room is None and len(parts) > 1:
            yield f"{where}: the folder '{'/'.join(parts[:-1])}' is in no room of CMakeLists.txt"
            continue
        for number, target in includes_of(path):
            if target.startswith(("app/", "tests/", "bench/")):
                yield f"{where}:{number}: the library includes \"{target}\" from outside partita/"
            if not target.startswith("partita/") or target == GENERATED:
                continue
            if not (root / target).is_file():
                yield f"{where}:{number}: there is no \"{target}\""
            target_parts = target.split("/")
            if room is None:
                continue
            if len(target_parts) == 2:
                yield f"{where}:{number}: room '{room}' includes \"{target}\", which sees every room"
            elif room_of(target_parts[1:], rooms) not in rooms[room]:
                allowed = ", ".join(sorted(rooms[room] - {room})) or "no other room"
                yield f"{where}:{number}: room '{room}' includes \"{target}\", but may use only: {allowed}"


def check_public_headers(root):
    """A header is wholly public or wholly private: nothing is installed because something else includes it."""
    where = "cmake/InstallPartita.cmake"
    lists = dict(re.findall(r"set\((PARTITA_\w+_HEADERS)([^)]*)\)", (root / where).read_text(encoding="utf-8")))
    core, more = (lists.get(f"PARTITA_{name}_HEADERS", "").split() for name in ("CORE", "MORE"))
    if not core or not more:
        yield f"{where}: found no lists PARTITA_CORE_HEADERS and PARTITA_MORE_HEADERS"
    library = root / "docs" / "library.md"
    explained = library.read_text(encoding="utf-8") if library.is_file() else ""
    for header in core + more:
        if not (root / header).is_file():
            yield f"{where}: there is no public header '{header}'"
            continue
        if f"`{header}`" not in explained:
            yield f"docs/library.md: the public header '{header}' is not explained"
        allowed = {*core, GENERATED, *(more if header in more else ())}
        for number, target in includes_of(root / header):
            if target.startswith("partita/") and target not in allowed:
                yield f"{header}:{number}: a public header includes \"{target}\", which is not installed with it"
            elif target.startswith(PRIVATE_LIBRARIES):
                yield f"{header}:{number}: a public header includes <{target}>, which consumers need not have"


def check_texts(root):
    """Texts of the library name no option of the command line, and fields only that the command line can translate."""
    table = (root / OPTION_NAMES).read_text(encoding="utf-8")
    for path in sorted(p for p in (root / "partita").rglob("*") if p.suffix in SPDX and p != root / OPTION_NAMES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.lstrip().startswith(("//", "#include")):
                continue
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                text = re.sub(r"`[^`]*`", "", text)  # a command in full may have options
                where = f"{path.relative_to(root)}:{number}"
                if re.search(r"(?:^|[ (])--[a-z{]", text):
                    yield f"{where}: the text \"{text}\" names an option; name the field, which the program translates"
                for field in re.findall(r"\b[A-Z]\w+::[a-z_]+", text):
                    if f'"{field}"' not in table:
                        yield f"{where}: the text \"{text}\" names {field}, which {OPTION_NAMES} lacks"


def check_verifier(root):
    """partita-check must not lean on a solver, not even through a shared file."""
    for folder in ("app/partita-check", "app/shared"):
        for path in sorted((root / folder).glob("*")):
            for number, target in includes_of(path) if path.suffix in SPDX else ():
                if target == "partita/partita.h" or target.startswith(("partita/solve/", "partita/reduce/")):
                    yield f"{path.relative_to(root)}:{number}: the verifier includes \"{target}\""


def check_heads(root):
    for folder in ("partita", "app", "tests", "bench"):
        for path in sorted((root / folder).rglob("*")):
            expected = SPDX.get(path.suffix)
            if expected is None:
                continue
            first = path.read_text(encoding="utf-8").split("\n", 1)[0]
            if first != expected:
                yield f"{path.relative_to(root)}:1: found '{first}', expected '{expected}'"


def check_readmes(root, rooms):
    for room in rooms:
        folder = root / "partita" / room
        if folder.is_dir() and not (folder / "README.md").is_file():
            yield f"partita/{room}: there is no README.md that says what enters, what leaves and where to start reading"


def check_acyclic(rooms):
    """A room uses only rooms listed before it, so that the table reads in the order of the flow."""
    seen = set()
    for room, uses in rooms.items():
        for other in sorted(uses - {room} - seen):
            yield f"CMakeLists.txt: room '{room}' uses '{other}', which is not listed before it"
        seen.add(room)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    rooms = read_rooms((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not rooms:
        sys.exit("CMakeLists.txt: found no partita_room() line")
    problems = [
        *check_acyclic(rooms),
        *check_includes(root, rooms),
        *check_public_headers(root),
        *check_texts(root),
        *check_verifier(root),
        *check_heads(root),
        *check_readmes(root, rooms),
    ]
    for problem in problems:
        print(problem)
    print(f"{len(rooms)} rooms, {len(problems)} violation(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
