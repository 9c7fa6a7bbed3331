"""The `.sql` files: the same verbs in each dialect, well-formed parameters, and no session state."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from towpath.ledger.statements import statements

DIALECTS = ("postgres", "sqlite")
#: SQLite's stand-in for writing CTEs; see the file itself.
ONLY_SQLITE = {"hold"}


def _files(dialect: str) -> set[str]:
    folder = resources.files(f"towpath.ledger.{dialect}")
    return {file.name.removesuffix(".sql") for file in folder.iterdir() if file.name.endswith(".sql")}


VERBS = sorted(_files("postgres"))
BOTH = [(dialect, verb) for dialect in DIALECTS for verb in VERBS]


def test_both_dialects_have_the_same_verbs() -> None:
    assert _files("sqlite") - ONLY_SQLITE == _files("postgres")


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_asks_for_the_same_things_in_both_dialects(verb: str) -> None:
    asked = {dialect: _parameters(dialect, verb) for dialect in DIALECTS}
    # What an engine does not need it leaves out; what it asks for, the other one's caller gives as well.
    assert asked["sqlite"] <= asked["postgres"] or asked["postgres"] <= asked["sqlite"]


def _parameters(dialect: str, verb: str) -> set[str]:
    pattern = r"%\((\w+)\)s" if dialect == "postgres" else r"(?<![:\w]):([a-z_]+)"
    return {name for statement in statements(dialect, verb) for name in re.findall(pattern, statement)}


@pytest.mark.parametrize(("dialect", "verb"), BOTH)
def test_every_file_says_in_its_first_line_what_it_does(dialect: str, verb: str) -> None:
    text = resources.files(f"towpath.ledger.{dialect}").joinpath(f"{verb}.sql").read_text("utf-8")
    assert re.match(r"-- [A-Z].+", text)


@pytest.mark.parametrize("verb", VERBS)
def test_a_postgres_verb_is_one_statement_in_the_drivers_style(verb: str) -> None:
    """One statement can be its own transaction, and needs nothing of the session it runs in."""
    (statement,) = statements("postgres", verb)
    assert not re.search(r"(?<![:\w]):[a-z_]+", statement), "a parameter was left in the other style"
    assert not re.search(r"\b(set\s+local|temp(orary)?\s+table|listen|advisory)\b", statement, re.IGNORECASE)
    without_parameters = re.sub(r"%\(\w+\)s", "", statement)
    assert "%" not in without_parameters.replace("%%", ""), "a percent sign would be taken for a parameter"


@pytest.mark.parametrize(("dialect", "verb"), BOTH)
def test_no_comment_and_no_empty_statement_reaches_the_driver(dialect: str, verb: str) -> None:
    for statement in statements(dialect, verb):
        assert statement == statement.strip()
        assert statement
        assert not re.search(r"^\s*--", statement, re.MULTILINE)
        assert ";" not in statement


def test_sqlite_verbs_that_settle_begin_by_holding_what_is_still_theirs() -> None:
    held = statements("sqlite", "hold")
    for verb in ("advance", "finish", "fail", "suspend", "release"):
        assert statements("sqlite", verb)[: len(held)] == held


def test_a_verb_is_read_once() -> None:
    assert statements("sqlite", "claim") is statements("sqlite", "claim")


@pytest.mark.parametrize(
    "verb", ["heartbeat", "progress", "advance", "finish", "fail", "suspend", "release", "fence"]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_word_of_a_worker_compares_the_epoch(dialect: str, verb: str) -> None:
    text = " ".join(statements(dialect, verb))
    assert re.search(r"lease_epoch = (item\.epoch|item\.value ->> 'epoch'|%\(epoch\)s|:epoch)", text)
    assert "status = 'PROCESSING'" in text
