"""Writes what the page takes from the server's code: the OpenAPI document and the labels of the stages.

With --check it writes nothing and fails if a file is not current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from towpath.pipelines.labels import STAGE_LABELS
from towpath.server.app import create_app
from towpath.server.deps import Services

UI = Path(__file__).parent.parent
OPENAPI = UI / "openapi.json"
LABELS = UI / "src" / "words" / "stage-labels.json"


def generated() -> Mapping[Path, str]:
    """Each generated file with its current content."""
    app = create_app(cast("Services", None), None)
    return {
        OPENAPI: json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n",
        LABELS: json.dumps(dict(STAGE_LABELS), indent=2) + "\n",
    }


if __name__ == "__main__":
    for path, content in generated().items():
        if "--check" not in sys.argv:
            path.write_text(content, "utf-8")
        elif path.read_text("utf-8") != content:
            sys.exit(
                f"ui/{path.relative_to(UI)} is not current."
                " Run `python ui/scripts/openapi.py`, then `npm run client`."
            )
