# SPDX-License-Identifier: Apache-2.0
"""Installs the packages of dist/, each in a clean root of its own, and asks them for plans whose values are known.

`./dev package --try [KIND]...` runs it. Nothing is left but build-package/base-SUITE, the minimal system, for the next
time.
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import signal
import sys
import time

from clean_root import INSIDE, CleanRoot, check_rights, debian_root, folder_for
from common import DIST, SOURCE, Failed, run, say, version
from libraries import C_LIBRARY

WORKLOAD = SOURCE / "examples/branch.json"
PAGE = f"{INSIDE}/page.html"
BEST = 12.5  # milliseconds per sample, proved: examples/README.md
BUILD_NEEDS = ("g++", "cmake", "ninja-build", "pkg-config", "python3-dev", "python3-venv", "nlohmann-json3-dev",
               "libfmt-dev", "zlib1g-dev", "coinor-libcbc-dev", "coinor-libclp-dev", "libscotch-dev", "libmetis-dev")

# Run by the Python of a root, with the names of the workload and of a page: plans, judges the plan, writes the page.
IN_PYTHON = """
import json, sys
import partita
plan = partita.plan(partita.Graph.read(sys.argv[1]))
assert partita.check(plan.graph, plan), "the plan does not pass the check"
plan.report(sys.argv[2])
print(json.dumps({"status": plan.status, "value": plan.value}))
"""


def package(pattern: str) -> pathlib.Path:
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        raise Failed(f"dist/ has {len(found)} files {pattern}; expected one: make it with `./dev package`")
    return found[0]


def expect_best(answer: dict) -> None:
    found = answer["status"], answer["value"]
    if found[0] != "optimal" or abs(found[1] - BEST) > 1e-9:
        raise Failed(f"{WORKLOAD.name}: found {found[0]} {found[1]}; expected optimal {BEST}")


def try_programs(root: CleanRoot, bin_folder: str) -> None:
    """Both programs, the dynamic program, integer programs in their child process, and both graph partitioners."""
    printed = root.run(f"{bin_folder}/partita", "--version")
    if version() not in printed:
        raise Failed(f"partita --version printed '{printed.strip()}'; expected version {version()}")
    root.copy_in(WORKLOAD)
    workload, plan = f"{INSIDE}/{WORKLOAD.name}", f"{INSIDE}/plan.json"
    for options in ([], ["--algorithm", "ip"]):
        root.run(f"{bin_folder}/partita", "plan", workload, "--quiet", "-o", plan, "--report", PAGE, *options)
        expect_best(json.loads(root.read(plan)))
        root.run(f"{bin_folder}/partita-check", workload, plan)
    compared = root.run(f"{bin_folder}/partita", "compare", workload, "--algorithms", "dp,scotch,metis")
    if "not there" in compared or "scotch" not in compared or "metis" not in compared:
        raise Failed("partita compare did not run the graph partitioners", compared)


def try_tarball() -> None:
    """In a root with the C library and nothing else, not even a shell."""
    name = package(f"partita-*-linux-{platform.machine()}.tar.gz")
    with folder_for("tarball") as folder:
        for path in ("proc", "dev", "tmp", "opt"):
            (folder / path).mkdir()
        copy_c_library(folder)
        run("tar", "-xzf", name, "-C", folder / "opt")
        try_programs(CleanRoot(folder), f"/opt/{name.name.removesuffix('.tar.gz')}/bin")


def copy_c_library(folder: pathlib.Path) -> None:
    """The shared objects of this machine's C library, where programs look for them."""
    for line in run("dpkg-query", "--listfiles", C_LIBRARY).splitlines():
        path = pathlib.Path(line)
        if ".so" in path.name and path.is_file() and "gconv" not in line:
            to = folder / line.lstrip("/")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)


def try_deb() -> None:
    """The programs, with the packages that they depend on and no others; removing them leaves nothing. Then the
    library, with a compiler."""
    name = package(f"partita_{version()}_*.deb")
    with debian_root("deb") as root:
        root.copy_in(name)
        root.install(f"{INSIDE}/{name.name}")
        try_programs(root, "/usr/bin")
        root.run("bash", "-c", "source /usr/share/bash-completion/completions/partita && complete -p partita")
        root.run("apt-get", "remove", "-y", "-qq", "partita")
        left = [path for path in ("usr/bin/partita", "usr/share/doc/partita") if (root.folder / path).exists()]
        if left:
            raise Failed(f"after removing the package /{left[0]} is still there")
        try_library(root)


def try_wheel() -> None:
    """In a root with Python and no compiler."""
    with debian_root("wheel", ["python3", "python3-venv"]) as root:
        try_in_python(root, package(f"partita-{version()}-*.whl"))


def try_sdist() -> None:
    """In a root with a compiler and the libraries: builds the module from the sources that the sdist has."""
    with debian_root("sdist", BUILD_NEEDS) as root:
        try_in_python(root, package(f"partita-{version()}.tar.gz"))


def try_in_python(root: CleanRoot, file: pathlib.Path) -> None:
    root.copy_in(file, WORKLOAD)
    venv = f"{INSIDE}/venv"
    root.run("python3", "-m", "venv", venv)
    root.run(f"{venv}/bin/pip", "install", "--quiet", f"{INSIDE}/{file.name}",
             CMAKE_BUILD_PARALLEL_LEVEL=os.environ.get("JOBS") or str(os.cpu_count()))
    expect_best(json.loads(root.run(f"{venv}/bin/python", "-c", IN_PYTHON, f"{INSIDE}/{WORKLOAD.name}", PAGE)))
    if "</html>" not in root.read(PAGE):
        raise Failed("the page of the plan is not whole")


def try_library(root: CleanRoot) -> None:
    """Builds and runs examples/embed with the installed library."""
    name = package(f"libpartita-dev_{version()}_*.deb")
    root.copy_in(name)
    root.install(f"{INSIDE}/{name.name}", "g++", "cmake", "ninja-build")
    root.copy_in(SOURCE / "examples/embed")
    source, build = f"{INSIDE}/embed", f"{INSIDE}/embed/build"
    root.run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    root.run("cmake", "--build", build)
    printed = root.run(f"{build}/embed")
    if not printed.startswith(f"partita {version()}: "):
        raise Failed(f"examples/embed printed '{printed[:80]}'; expected its version first")


TRIES = {"tarball": try_tarball, "deb": try_deb, "wheel": try_wheel, "sdist": try_sdist}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"what to try, of: {', '.join(TRIES)} (default: all)")
    kinds = parser.parse_args().kinds or list(TRIES)
    for kind in kinds:
        if kind not in TRIES:
            parser.error(f"there is no package '{kind}'; expected some of: {', '.join(TRIES)}")
    for number in (signal.SIGTERM, signal.SIGHUP):  # whoever is ended so cleans up too
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    failures = 0
    try:
        check_rights()
    except Failed as failure:
        print(f"package: {failure}", file=sys.stderr)
        return 1
    for kind in kinds:
        say(f"trying the {kind} in a clean root")
        start = time.monotonic()
        try:
            TRIES[kind]()
            print(f"{kind}: installed, and its results are right ({time.monotonic() - start:.0f} s)", flush=True)
        except Failed as failure:
            failures += 1
            print(failure.details[-4000:], file=sys.stderr)
            print(f"package: {kind}: {failure}", file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
