# SPDX-License-Identifier: Apache-2.0
"""partita_VERSION_ARCH.deb with the programs, and libpartita-dev_VERSION_ARCH.deb with the library and its headers."""
import hashlib
import os
import pathlib
import re
import shutil

from common import DIST, WORK, Failed, fresh_folder, run, set_times, source_time, version
from programs import PROGRAMS, compress

# What partita-config.cmake looks for.
LIBRARY_NEEDS = ("libfmt-dev", "zlib1g-dev", "pkg-config", "coinor-libcbc-dev", "coinor-libclp-dev", "libscotch-dev",
                 "libmetis-dev")

CONTROL = """Package: {package}
Version: {version}
Architecture: {architecture}
Section: {section}
Priority: optional
Maintainer: The Partita authors <authors@partita.invalid>
Installed-Size: {size}
Depends: {depends}
Description: {description}
"""
PROGRAMS_TEXT = """optimal splits of neural networks over devices
 Partita splits the computation graph of a neural network over accelerators
 and hosts, for throughput or for latency, and proves how good the split is.
 .
 This package has the programs partita and partita-check."""
LIBRARY_TEXT = """optimal splits of neural networks over devices: library
 Partita splits the computation graph of a neural network over accelerators
 and hosts, for throughput or for latency, and proves how good the split is.
 .
 This package has the static C++20 library, its headers and what CMake needs
 to find them."""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Partita

Files: *
Copyright: The Partita authors
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
"""


def make(usr: pathlib.Path) -> list:
    work = fresh_folder(WORK / "deb")
    programs = work / "partita"
    for name in ("bin", "share"):
        shutil.copytree(usr / name, programs / "usr" / name)
    (programs / "usr/share/doc/partita/LICENSE").unlink()  # Debian has it already
    compress(programs / "usr/share/doc/partita/CHANGELOG.md")
    library = work / "libpartita-dev"
    for name in ("include", "lib"):
        shutil.copytree(usr / name, library / "usr" / name)
    own_depends = library_packages([programs / "usr/bin" / name for name in PROGRAMS], work)
    return [pack(programs, "partita", "science", own_depends, PROGRAMS_TEXT),
            pack(library, "libpartita-dev", "libdevel", ", ".join(LIBRARY_NEEDS), LIBRARY_TEXT)]


def library_packages(programs: list, work: pathlib.Path) -> str:
    """The packages of the shared libraries that the programs are linked with, in versions that have all they use."""
    (work / "debian").mkdir()
    (work / "debian/control").write_text("Source: partita\n\nPackage: partita\nArchitecture: any\n")
    printed = run("dpkg-shlibdeps", "-O", *(f"-e{program}" for program in programs), cwd=work)
    found = re.search(r"^shlibs:Depends=(.+)$", printed, re.MULTILINE)
    if not found:
        raise Failed("dpkg-shlibdeps names no package; expected those of the libraries that the programs use", printed)
    return found.group(1)


def pack(root: pathlib.Path, package: str, section: str, depends: str, description: str) -> pathlib.Path:
    architecture = run("dpkg", "--print-architecture").strip()
    documents = root / "usr/share/doc" / package
    documents.mkdir(parents=True, exist_ok=True)
    (documents / "copyright").write_text(COPYRIGHT)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/md5sums").write_text("".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files))
    (root / "DEBIAN/control").write_text(CONTROL.format(
        package=package, version=version(), architecture=architecture, section=section, depends=depends,
        description=description, size=sum(path.stat().st_size for path in files) // 1024 + 1))
    set_times(root)
    target = DIST / f"{package}_{version()}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(source_time())})
    return target
