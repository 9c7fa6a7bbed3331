"""The commands of the guide for versions work."""

from __future__ import annotations

from pathlib import Path

from tests.support.guides import guide_blocks, run_shell


def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("# Report\n\nThe keeper passed forty boats.\n")
    (tmp_path / "handbook" / "locks").mkdir(parents=True)
    chapter = tmp_path / "handbook" / "locks" / "foxton.md"
    chapter.write_text("# Foxton\n\nTen locks in two staircases.\n")
    (commands,) = guide_blocks("versions")

    printed = run_shell(tmp_path, commands)
    listed = printed[printed.index("VERSION") : printed.index("* is shown now")].splitlines()[1:]
    assert [line.split()[:2] for line in listed] == [["2*", "COMPLETED"], ["1", "COMPLETED"]]
    assert "-The keeper passed forty boats.\n+The keeper passed fifty boats.\n" in printed
    assert "1 line added, 1 line removed" in printed

    chapter.write_text("# Foxton\n\nTen locks in two staircases of five.\n")
    again = run_shell(tmp_path, "towpath submit handbook/ --keys --wait\ntowpath versions foxton.md --json")
    assert "1 file: completed" in again
    assert '"number": 2' in again
    assert "already in the library" in run_shell(tmp_path, "towpath submit handbook/ --keys --wait")
