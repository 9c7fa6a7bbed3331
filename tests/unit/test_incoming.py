"""Folders for files on their way: one for each process, and nothing left of the dead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from towpath.storage.incoming import own_folder

_HOLD = """
import sys, time
from pathlib import Path
from towpath.storage.incoming import own_folder
with own_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half an upload")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_killed_process_leaves_its_folder_to_the_next_and_a_living_one_keeps_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, tmp_path], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        held = Path(other.stdout.readline().strip())

        with own_folder(tmp_path) as mine:
            assert mine.is_dir()
            assert (held / "half").exists()
        assert not mine.exists()

        other.kill()
        other.wait()
        with own_folder(tmp_path):
            assert not held.exists()
