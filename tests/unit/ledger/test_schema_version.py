"""The schema revisions that a start reads from file names are those of the migrations."""

from __future__ import annotations

import subprocess
import sys

from alembic.config import Config
from alembic.script import ScriptDirectory

from towpath.ledger.schema_version import known_schemas, newest_schema


def test_the_known_schemas_are_the_revisions_of_alembic() -> None:
    config = Config()
    config.set_main_option("script_location", "towpath.ledger:migrations")
    scripts = ScriptDirectory.from_config(config)
    assert list(known_schemas()) == sorted(script.revision for script in scripts.walk_revisions())
    assert newest_schema() == scripts.get_current_head()


def test_the_server_imports_no_library_that_a_default_start_does_not_need() -> None:
    program = (
        "import sys, towpath.bootstrap.services, towpath.server.app; "
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert {"fastapi", "sqlalchemy"} <= set(loaded)
    assert {"alembic", "psycopg", "httpx", "azure", "openai"}.isdisjoint(loaded)
