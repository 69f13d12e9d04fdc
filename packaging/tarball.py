# SPDX-License-Identifier: Apache-2.0
"""partita-VERSION-linux-MACHINE.tar.gz: the two programs with all they need, to be unpacked anywhere."""
import gzip
import pathlib
import platform
import shutil
import tarfile

from common import DIST, SOURCE, WORK, fresh_folder, set_times, source_time, version
from libraries import add_licences, bundle, needed_glibc
from programs import PROGRAMS

COMPILED_IN = ("nlohmann-json3-dev", "libcli11-dev")  # headers alone

README = """Partita {version}

    bin/partita plan share/doc/partita/examples/branch.json

Both programs (bin/partita, bin/partita-check) run from where this folder is put, and may be linked to from elsewhere.
They need the C library of Linux, glibc {glibc} or later, and nothing else: the libraries they use are in lib, their
licences in licenses.

Completion for bash:    source share/bash-completion/completions/partita
Documents and examples: share/doc/partita
Licence:                Apache 2.0 (LICENSE)
"""


def make(usr: pathlib.Path) -> pathlib.Path:
    name = f"partita-{version()}-linux-{platform.machine()}"
    top = fresh_folder(WORK / "tarball") / name
    (top / "bin").mkdir(parents=True)
    for program in PROGRAMS:
        shutil.copy(usr / "bin" / program, top / "bin")
    libraries = bundle([top / "bin" / program for program in PROGRAMS], top / "lib")
    add_licences(top / "licenses", libraries, COMPILED_IN)
    shutil.copytree(usr / "share", top / "share")
    shutil.copy(SOURCE / "LICENSE", top)
    (top / "README.txt").write_text(README.format(
        version=version(), glibc=needed_glibc([*top.glob("bin/*"), *top.glob("lib/*")])))
    set_times(top)
    return pack(top, DIST / f"{name}.tar.gz")


def pack(top: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """The same files give the same bytes: sorted, of one time, of nobody."""
    def nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        return member

    unfinished = top.parent / target.name  # what is in dist/ is whole
    with open(unfinished, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=source_time()) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(top, top.name, recursive=False, filter=nobody)
            for path in sorted(top.rglob("*")):
                archive.add(path, f"{top.name}/{path.relative_to(top)}", recursive=False, filter=nobody)
    return unfinished.replace(target)
