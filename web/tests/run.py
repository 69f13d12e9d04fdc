# SPDX-License-Identifier: Apache-2.0
"""One test of the page, by name: types, page_is_current, behaviour or speed. Exits with 77, after one line that says what is
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


def in_browser(*tests):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        skip("there is no Chromium")
    return run("node", "--test", *tests, PARTITA_CHROMIUM=chromium)


# What is measured by the clock is by itself, so that the rest can run beside other tests.
SPEED = str(WEB / "tests" / "speed.test.mjs")


def behaviour():
    return in_browser(*sorted(set(map(str, (WEB / "tests").glob("*.test.mjs"))) - {SPEED}))


def speed():
    return in_browser(SPEED)


if not shutil.which("node"):
    skip("there is no Node.js")
if not (WEB / "node_modules").is_dir():
    skip("there is no web/node_modules")
PARTS = {"types": types, "page_is_current": page_is_current, "behaviour": behaviour, "speed": speed}
sys.exit(PARTS[sys.argv[1]]())
