"""Writes what is made from the server's code: the OpenAPI document, the labels of the stages, the client's types.

With --check it writes nothing and fails if a file is not current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from client_types import client_types

from towpath.pipelines.stage_labels import STAGE_LABELS
from towpath.server.app import create_app
from towpath.server.deps import Services

UI = Path(__file__).parent.parent
OPENAPI = UI / "openapi.json"
LABELS = UI / "src" / "words" / "stage-labels.json"
CLIENT_TYPES = UI.parent / "src" / "towpath" / "client" / "types.py"


def generated() -> Mapping[Path, str]:
    """Each generated file with its current content."""
    app = create_app(cast("Services", None), None)
    return {
        OPENAPI: json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n",
        LABELS: json.dumps(dict(STAGE_LABELS), indent=2) + "\n",
        CLIENT_TYPES: client_types(app.openapi()),
    }


if __name__ == "__main__":
    for path, content in generated().items():
        if "--check" not in sys.argv:
            path.write_text(content, "utf-8")
        elif path.read_text("utf-8") != content:
            sys.exit(
                f"{path.relative_to(UI.parent)} is not current."
                " Run `python ui/scripts/openapi.py`, then `npm run client`."
            )
