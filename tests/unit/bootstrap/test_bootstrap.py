"""The names that `towpath.bootstrap` offers are the same whichever of its modules was imported first."""

from __future__ import annotations

import pkgutil

import pytest

from towpath import bootstrap

MODULES = {module.name for module in pkgutil.iter_modules(bootstrap.__path__)}


@pytest.mark.parametrize("name", sorted(bootstrap.__all__))
def test_no_name_is_that_of_a_module(name: str) -> None:
    """Importing a module sets an attribute of its package, which would replace the function."""
    assert name not in MODULES
    assert getattr(bootstrap, name) is not None
