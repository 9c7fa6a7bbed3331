"""The composition root: the only package that names concrete engines and vendors.

Its names are imported when they are used: a command that only talks to a running server needs none of them.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from towpath.bootstrap.cloud_providers import check_providers
    from towpath.bootstrap.database_and_storage import (
        enable_row_level_security,
        open_database,
        open_store_context,
    )
    from towpath.bootstrap.missing_packages import install_hints
    from towpath.bootstrap.provider_probes import probe_providers
    from towpath.bootstrap.runtime import Runtime, open_runtime, retention_policy
    from towpath.bootstrap.runtime_overrides import Overrides
    from towpath.bootstrap.services import is_loopback

PAGE = Path(__file__).parent.parent / "page"

_MODULES = {
    "Overrides": "runtime_overrides",
    "Runtime": "runtime",
    "check_providers": "cloud_providers",
    "enable_row_level_security": "database_and_storage",
    "is_loopback": "services",
    "install_hints": "missing_packages",
    "open_database": "database_and_storage",
    "open_runtime": "runtime",
    "open_store_context": "database_and_storage",
    "probe_providers": "provider_probes",
    "retention_policy": "runtime",
}

__all__ = [
    "PAGE",
    "Overrides",
    "Runtime",
    "check_providers",
    "enable_row_level_security",
    "install_hints",
    "is_loopback",
    "open_database",
    "open_runtime",
    "open_store_context",
    "probe_providers",
    "retention_policy",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES[name]}")
    value = getattr(module, name)
    globals()[name] = value
    return value
