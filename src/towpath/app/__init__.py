"""The composition root: the only room that names concrete engines and vendors."""

from pathlib import Path

from towpath.app.opening import Towpath, opened
from towpath.app.rig import Rig
from towpath.app.serving import is_loopback
from towpath.app.storage import open_database

PAGE = Path(__file__).parent.parent / "page"

__all__ = ["PAGE", "Rig", "Towpath", "is_loopback", "open_database", "opened"]
