"""Public names of a module that are imported at their first use, and names that moved."""

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

# Two threads may import a package and a part of it.
ONE_BY_ONE = RLock()


def public_names(
    package: str,
    homes: Mapping[str, str],
    moved: Mapping[str, str] | None = None,
    first: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` (PEP 562) of a package; `dir` shows its ``__all__``.

    `homes` has the module, below ``sparsesolve``, in which each name is found; "" if it is a
    module of the package. `moved` has the full new names of old ones, which warn, and go in the
    next release. `first` are modules that must be imported before a name is used.
    """
    moved, first = moved or {}, first or {}

    def __getattr__(name):
        if name in moved:
            warnings.warn(f"{package}.{name} will go; {moved[name]} takes its place",
                          FutureWarning, stacklevel=2)  # fmt: skip
            home, _, new = moved[name].rpartition(".")
            return getattr(import_module(home), new)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with ONE_BY_ONE:
            for module in first.get(name, ()):
                import_module(f"sparsesolve.{module}")
            if not homes[name]:
                return import_module(f"{package}.{name}")
            found = getattr(import_module(f"sparsesolve.{homes[name]}"), name)
            setattr(sys.modules[package], name, found)
            return found

    def __dir__():
        return sorted(sys.modules[package].__all__)

    return __getattr__, __dir__


def stack_level() -> int:
    """Return the level of the stack, from that of the caller, at which the package was called."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "sparsesolve":
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


class MovedModule(ModuleType):
    """A module by its old name, which warns; `home` is the new one."""

    def __init__(self, name: str, home: str):
        super().__init__(name)
        self.__dict__["home"] = home

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        warnings.warn(f"{self.__name__} will go; {self.home} takes its place", FutureWarning,
                      stacklevel=2)  # fmt: skip
        return getattr(import_module(self.home), name)
