# SPDX-License-Identifier: Apache-2.0
"""Makes packages of Partita in dist/: `./dev package [deb|tarball|sdist|wheel]...`, all unless some are named."""
import argparse
import pathlib
import sys

import deb
import programs
import python_packages
import tarball
from common import DIST, SOURCE, Failed, say

KINDS = ("deb", "tarball", "sdist", "wheel")


def make(kinds: list, build_folder: pathlib.Path) -> list:
    DIST.mkdir(exist_ok=True)
    made = []
    if "deb" in kinds or "tarball" in kinds:
        usr = programs.install(build_folder)
        if "deb" in kinds:
            made += deb.make(usr)
        if "tarball" in kinds:
            made.append(tarball.make(usr))
    if "sdist" in kinds:
        made.append(python_packages.make_sdist())
    if "wheel" in kinds:
        made.append(python_packages.make_wheel())
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"what to make, of: {', '.join(KINDS)} (default: all)")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="folder of the optimised build")
    arguments = parser.parse_args()
    kinds = arguments.kinds or list(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            parser.error(f"there is no package '{kind}'; expected some of: {', '.join(KINDS)}")
    try:
        made = make(kinds, arguments.build)
    except Failed as failure:
        print(failure.details, file=sys.stderr)
        print(f"package: {failure}", file=sys.stderr)
        return 1
    say("packages in dist/")
    for path in made:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
