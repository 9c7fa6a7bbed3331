"""The composition root: the only room that names concrete engines and vendors."""

from pathlib import Path

from towpath.app.cloud import check as check_providers
from towpath.app.opening import Towpath, keep_rules, opened
from towpath.app.rig import Rig
from towpath.app.serving import is_loopback
from towpath.app.storage import bind_organizations, open_database, opened_store

PAGE = Path(__file__).parent.parent / "page"

__all__ = [
    "PAGE",
    "Rig",
    "Towpath",
    "bind_organizations",
    "check_providers",
    "is_loopback",
    "keep_rules",
    "open_database",
    "opened",
    "opened_store",
]
