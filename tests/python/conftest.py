# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests: the package of this checkout, also in processes that tests start; and nothing is left behind."""

import os
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent
_PACKAGE = str(_HERE.parent.parent / "python")
for path in (_PACKAGE, str(_HERE)):
    if path not in sys.path:
        sys.path.insert(0, path)
os.environ["PYTHONPATH"] = os.pathsep.join([_PACKAGE, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; runs where PARTITA_LONG_TESTS is set")


def pytest_collection_modifyitems(items):
    if os.environ.get("PARTITA_LONG_TESTS"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes long; set PARTITA_LONG_TESTS to run it"))
