"""Decodes pickled answers of child processes; code that a hostile file put into an answer is not run.

Pickle can name any function; this decoder accepts values of Towpath's own data types, errors, plain values and arrays.
Pickle can also set attributes of what it names. So it never gets a class that can be changed, but a stand-in that
creates instances of it.
"""

from __future__ import annotations

import builtins
import io
import pickle
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, cast

_BUILTINS = frozenset({"set", "frozenset", "bytearray", "complex", "range", "slice"})
_ALLOWED = frozenset(
    {
        *(("collections", name) for name in ("OrderedDict", "Counter", "deque", "defaultdict")),
        *(("datetime", name) for name in ("datetime", "date", "time", "timedelta", "timezone")),
        *(("pathlib", name) for name in ("Path", "PosixPath", "WindowsPath", "PurePosixPath")),
        *(("numpy", name) for name in ("ndarray", "dtype")),
        *(
            (f"numpy.{core}.multiarray", name)
            for core in ("core", "_core")
            for name in ("_reconstruct", "scalar")
        ),
        *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
    }
)
#: Packages that define answers of child processes. A child cannot make its parent import another one.
_PACKAGES = tuple(
    f"towpath.{name}"
    for name in (
        "model.",
        "errors",
        "process_runner",
        "readers.",
        "providers.",
        "connections.",
        "search.",
        "stages.",
    )
)


class _Decoder(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if module_name.startswith("towpath."):
            accepted = "." not in global_name and _may_import(module_name)
        elif module_name == "builtins":
            accepted = global_name in _BUILTINS or _is_error(getattr(builtins, global_name, None))
        else:
            accepted = (module_name, global_name) in _ALLOWED
        if accepted:
            found: Any = super().find_class(module_name, global_name)
            if not module_name.startswith("towpath.") or _is_value_type(found):
                return _stand_in(found)
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is not accepted from a child process")


def _may_import(module_name: str) -> bool:
    """Whether a child may name this module: importing it has no effect, or it is imported already."""
    return module_name in sys.modules or module_name.startswith(_PACKAGES)


def _stand_in(found: Any) -> Any:
    """Something new that creates what the class or function creates; the thing itself if it cannot be changed."""
    if not isinstance(found, type):
        return _forward(found)
    # Bit 9 of the flags of a type: its attributes can be set (Py_TPFLAGS_HEAPTYPE).
    if not cast("type[Any]", found).__flags__ & 1 << 9:
        return cast("type[Any]", found)
    target = cast("type[Any]", found)

    class StandInType(type):
        def __call__(cls, *arguments: object, **options: object) -> Any:
            return target(*arguments, **options)

    def new(_: type, *arguments: object, **options: object) -> Any:
        return target.__new__(target, *arguments, **options)

    return StandInType(target.__name__, (), {"__new__": new})


def _forward(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: function(*arguments)


def decode(data: bytes) -> Any:
    """The value that a sandboxed child process sent. Raises UnpicklingError for a type that is not accepted."""
    return _Decoder(io.BytesIO(data)).load()


def is_portable(error: Exception) -> bool:
    """Whether the parent accepts this error: one of Towpath or of Python itself that survives pickling."""
    try:
        decode(pickle.dumps(error))
    except Exception:
        return False
    return True


def _is_value_type(found: object) -> bool:
    if not isinstance(found, type):
        return False
    return is_dataclass(found) or issubclass(cast("type[object]", found), Exception | Enum | tuple)


def _is_error(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Exception)
