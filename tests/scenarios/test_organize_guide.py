"""The commands of the guide for organizing documents work."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

from tests.support.guides import guide_blocks, run_shell
from tests.support.servers import Server


def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    for name in ("invoices", "letters"):
        (tmp_path / "post" / name / "old").mkdir(parents=True)
    (tmp_path / "post" / "Contents.txt").write_text("Three papers.")
    (tmp_path / "post" / "invoices" / "Invoice 1.md").write_text("# Invoice 1\n\nTotal: 10.00 GBP\n")
    (tmp_path / "post" / "invoices" / "old" / "Invoice 2.md").write_text("# Invoice 2\n\nTotal: 30.00 GBP\n")
    (tmp_path / "post" / "letters" / "Letter.md").write_text("# Letter\n\nThe keeper writes.\n")
    submit, edit, http = guide_blocks("organize")

    listed = run_shell(tmp_path, submit)
    assert "4 files: 4 completed" in listed
    rows = listed[listed.rindex("COLLECTION") :].splitlines()[1:]
    assert [re.findall(r"Invoice \d\.md|invoices|2026", row) for row in rows] == [
        ["Invoice 1.md", "invoices", "2026"],
        ["Invoice 2.md", "invoices", "2026"],
    ]

    shown = run_shell(tmp_path, edit)
    assert "title       Timber for the lock gate (edited by local; extracted: Invoice 1)" in shown
    assert "collection  archive" in shown
    assert "tags        paid" in shown
    assert "metadata    source=scanner, customer=4711" in shown

    with Server(tmp_path / "towpath-data") as server:
        answers = run_shell(
            tmp_path,
            http.replace("http://127.0.0.1:8000", server.url).replace("\ncurl", "; echo; echo @@@\ncurl"),
        )
    paid, facets, table, dry, tagged = answers.split("@@@\n")
    assert [document["name"] for document in json.loads(paid)["documents"]] == ["Invoice 1.md"]
    assert json.loads(facets)["collections"] == {"": 1, "archive": 1, "invoices": 1, "letters": 1}
    exported = list(csv.DictReader(io.StringIO(table.strip().removeprefix("\ufeff"))))
    assert [(row["name"], row["tags"]) for row in exported] == [("Letter.md", "2026")]
    assert (json.loads(dry)["matched"], json.loads(dry)["cost"]) == (1, 0.0)
    assert json.loads(tagged)["changed"] == 1
