# SPDX-License-Identifier: Apache-2.0
"""Names of a package that are loaded when they are first used, so that importing it is quick and needs little."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence


def lazy_names(
    package: str,
    homes: Mapping[str, str],
    modules: Sequence[str] = (),
    before: Callable[[str], object] | None = None,
):
    """The functions `__getattr__` and `__dir__` of a package.

    `homes`: for each name the module of the package that has it; `modules`: modules that are names themselves;
    `before`: called with a name's full path before it is loaded. Example:

        __getattr__, __dir__ = lazy_names(__name__, {"plan": "planning"}, ["onnx"])
    """

    def get(name: str):
        if name in homes:
            if before is not None:
                before(f"{package}.{name}")
            return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(package)), *homes, *modules})

    return get, names
