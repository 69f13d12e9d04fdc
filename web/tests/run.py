# SPDX-License-Identifier: Apache-2.0
"""One test of the page, by name: types, page_is_current or behaviour. Exits with 77, after one line that says what is
missing, where it cannot run."""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WEB = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77


def skip(missing):
    print(f"skipped: {missing}; ./dev test installs it")
    sys.exit(SKIPPED)


def run(*command, **environment):
    return subprocess.run(command, cwd=WEB, env=os.environ | environment, check=False).returncode


def types():
    return run("node", "node_modules/typescript/bin/tsc", "--noEmit")


def page_is_current():
    with tempfile.TemporaryDirectory(prefix="partita-page-") as folder:
        built = pathlib.Path(folder, "page.html")
        if code := run("node", "build.mjs", str(built)):
            return code
        if filecmp.cmp(built, WEB / "dist" / "page.html", shallow=False):
            return 0
    print("web/dist/page.html is not what web/src builds: run ./dev web and commit it")
    return 1


def behaviour():
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        skip("there is no Chromium")
    tests = sorted(str(path) for path in (WEB / "tests").glob("*.test.mjs"))
    return run("node", "--test", *tests, PARTITA_CHROMIUM=chromium)


if not shutil.which("node"):
    skip("there is no Node.js")
if not (WEB / "node_modules").is_dir():
    skip("there is no web/node_modules")
sys.exit({"types": types, "page_is_current": page_is_current, "behaviour": behaviour}[sys.argv[1]]())
