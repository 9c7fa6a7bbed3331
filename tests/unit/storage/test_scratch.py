"""Scratch folders: one per process; folders of ended processes are deleted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from towpath.storage.scratch import own_folder

_HOLD = """
import sys, time
from pathlib import Path
from towpath.storage.scratch import own_folder
with own_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half an upload")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_the_folder_of_a_killed_process_is_deleted_and_that_of_a_running_one_is_kept(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, tmp_path], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        held = Path(other.stdout.readline().strip())

        with own_folder(tmp_path) as folder:
            assert folder.is_dir()
            assert (held / "half").exists()
        assert not folder.exists()

        other.kill()
        other.wait()
        with own_folder(tmp_path):
            assert not held.exists()
