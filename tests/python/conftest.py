# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests: the package of this checkout, also in processes that tests start; and nothing is left behind."""

import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PACKAGE = str(_HERE.parent.parent / "python")
for path in (_PACKAGE, str(_HERE)):
    if path not in sys.path:
        sys.path.insert(0, path)
os.environ["PYTHONPATH"] = os.pathsep.join([_PACKAGE, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
