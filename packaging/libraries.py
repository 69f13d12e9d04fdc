# SPDX-License-Identifier: Apache-2.0
"""The shared libraries that programs need besides the C library, and the licences of what a package carries."""
import functools
import gzip
import pathlib
import re
import shutil
from typing import Dict, Iterable, List, Optional, Tuple

from common import Failed, run

COMMON_LICENCES = pathlib.Path("/usr/share/common-licenses")
C_LIBRARY = "libc6"  # must be there, and no other version of it may be brought along


@functools.lru_cache(maxsize=None)
def owner(file: pathlib.Path) -> Optional[str]:
    """The Debian package that a file belongs to. Some are recorded below /lib, which is a link to /usr/lib."""
    path = str(file.resolve())
    for name in (path, path[len("/usr"):] if path.startswith("/usr/") else path):
        try:
            return run("dpkg-query", "--search", name).split(":", 1)[0]
        except Failed:
            continue
    return None


def needed_libraries(files: Iterable[pathlib.Path]) -> Dict[str, pathlib.Path]:
    """All shared libraries that the files need, themselves or through others, but for the C library: file by name."""
    found = {}
    for file in files:
        for name, path in re.findall(r"(\S+) => (\S+)", run("ldd", file)):
            if path == "not":
                raise Failed(f"{file} needs {name}, which is not installed")
            if name not in found and owner(pathlib.Path(path)) != C_LIBRARY:
                found[name] = pathlib.Path(path).resolve()
    return found


def bundle(programs: Iterable[pathlib.Path], folder: pathlib.Path) -> Dict[str, pathlib.Path]:
    """Copies what the programs need into `folder`, and makes programs and copies look there, wherever they are."""
    folder.mkdir()
    programs = list(programs)
    libraries = needed_libraries(programs)
    for name, path in libraries.items():
        shutil.copy(path, folder / name)
        run("patchelf", "--set-rpath", "$ORIGIN", folder / name)
    for program in programs:
        run("patchelf", "--set-rpath", "$ORIGIN/../lib", program)
    return libraries


def needed_glibc(files: Iterable[pathlib.Path]) -> str:
    """The oldest version of glibc that has all that the files use, such as 2.36."""
    used = {tuple(map(int, found.split("."))) for file in files
            for found in re.findall(r"\bGLIBC_(\d+\.\d+)", run("objdump", "--private-headers", file))}
    return ".".join(map(str, max(used)))


@functools.lru_cache(maxsize=None)
def source_packages() -> Dict[str, Tuple[str, str]]:
    """Name and version of the source package of each installed package."""
    listed = run("dpkg-query", "--show", "--showformat", "${Package} ${source:Package} ${source:Version}\\n")
    return {line.split()[0]: tuple(line.split()[1:]) for line in listed.splitlines()}


def full_licences(source: str) -> List[pathlib.Path]:
    """Texts of licences that the packages of one source bring besides `copyright`; one of them may have it for all."""
    found = []
    for package, (name, _) in sorted(source_packages().items()):
        if name == source:
            found += [path for path in sorted(pathlib.Path("/usr/share/doc", package).glob("*"))
                      if re.match(r"CeCILL|LICEN[CS]E|COPYING", path.name) and path.is_file()]
    return found


def add_licences(folder: pathlib.Path, libraries: Dict[str, pathlib.Path], compiled_in: Iterable[str]) -> None:
    """The licences of libraries that are carried along and of packages whose headers were compiled in: the `copyright`
    of their Debian packages, the licences that those name, full texts where their sources have them, and a table of
    versions, by which the sources are found."""
    folder.mkdir(parents=True)
    carried = {}  # names of libraries by package
    for name, path in sorted(libraries.items()):
        package = owner(path)
        if package is None:
            raise Failed(f"{path} belongs to no Debian package; expected one, for its licence")
        carried.setdefault(package, []).append(name)
    for package in compiled_in:
        carried.setdefault(package, []).append("compiled in")
    lines = ["What this package carries, with the Debian source packages that it was built from:", ""]
    common = set()
    for package, names in sorted(carried.items()):
        copyright_file = pathlib.Path("/usr/share/doc") / package / "copyright"
        if not copyright_file.exists():
            raise Failed(f"{copyright_file} is missing; a package may not carry {', '.join(names)} without its licence")
        text = copyright_file.read_text(errors="replace")
        (folder / f"{package}.txt").write_text(text)
        common.update(re.findall(rf"{COMMON_LICENCES}/([A-Za-z0-9.-]*[A-Za-z0-9])", text))
        source, source_version = source_packages()[package]
        lines.append(f"{', '.join(names)}: {source} {source_version}, licence in {package}.txt")
        for full_text in full_licences(source):
            content = full_text.read_bytes()
            name = f"{source}-{full_text.name.removesuffix('.gz').removesuffix('.txt')}.txt"
            (folder / name).write_bytes(gzip.decompress(content) if full_text.suffix == ".gz" else content)
    for name in sorted(common):
        if (COMMON_LICENCES / name).exists():
            shutil.copy((COMMON_LICENCES / name).resolve(), folder / f"{name}.txt")
    lines += ["", f"Licences that they name as {COMMON_LICENCES}/NAME are in NAME.txt."]
    (folder / "README.txt").write_text("\n".join(lines) + "\n")
