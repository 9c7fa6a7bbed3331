"""Writes the server's OpenAPI document to `ui/openapi.json`; with --check it only says whether that is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

from towpath.server.api import create_app
from towpath.server.services import Services

OPENAPI = Path(__file__).parent.parent / "openapi.json"


def current() -> str:
    """The document as it would be committed."""
    app = create_app(cast("Services", None), None)
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        OPENAPI.write_text(current(), "utf-8")
    elif OPENAPI.read_text("utf-8") != current():
        sys.exit("ui/openapi.json is not current. Run `python ui/scripts/openapi.py`, then `npm run client`.")
