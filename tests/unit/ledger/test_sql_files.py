"""The `.sql` files: the same verbs in each dialect, well-formed parameters, and no session state."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from towpath.ledger.sql_files import statements

DIALECTS = ("postgres", "sqlite")
#: SQLite has no writing CTEs; this file replaces them.
ONLY_SQLITE = {"select_leased_jobs"}
#: SQLite compares all vectors and has no index of them to update.
ONLY_POSTGRES = {"index_vectors"}
#: Parts that verbs include; the verbs are compared as a whole.
PARTS = {"due_jobs", "take_jobs"}


def _files(dialect: str) -> set[str]:
    folder = resources.files(f"towpath.ledger.{dialect}")
    return {file.name.removesuffix(".sql") for file in folder.iterdir() if file.name.endswith(".sql")}


VERBS = sorted(_files("postgres"))
SHARED_VERBS = [verb for verb in VERBS if verb not in ONLY_POSTGRES]
BOTH = [
    (dialect, verb) for dialect in DIALECTS for verb in (VERBS if dialect == "postgres" else SHARED_VERBS)
]


def test_both_dialects_have_the_same_verbs() -> None:
    assert _files("sqlite") - ONLY_SQLITE == _files("postgres") - ONLY_POSTGRES


@pytest.mark.parametrize("verb", [verb for verb in SHARED_VERBS if verb not in PARTS])
def test_a_verb_has_the_same_parameters_in_both_dialects(verb: str) -> None:
    parameters = {dialect: _parameters(dialect, verb) for dialect in DIALECTS}
    # One engine may need fewer parameters than the other; the caller passes the same ones to both.
    assert parameters["sqlite"] <= parameters["postgres"] or parameters["postgres"] <= parameters["sqlite"]


def _parameters(dialect: str, verb: str) -> set[str]:
    pattern = r"%\((\w+)\)s" if dialect == "postgres" else r"(?<![:\w]):([a-z_][a-z0-9_]*)"
    return {name for statement in statements(dialect, verb) for name in re.findall(pattern, statement)}


@pytest.mark.parametrize(("dialect", "verb"), BOTH)
def test_every_file_starts_with_a_comment(dialect: str, verb: str) -> None:
    text = resources.files(f"towpath.ledger.{dialect}").joinpath(f"{verb}.sql").read_text("utf-8")
    assert re.match(r"-- [A-Z].+", text)


@pytest.mark.parametrize("verb", VERBS)
def test_a_postgres_verb_is_one_statement_in_the_drivers_style(verb: str) -> None:
    """One statement can be its own transaction and needs no session state."""
    (statement,) = statements("postgres", verb)
    assert not re.search(r"(?<![:\w]):[a-z_][a-z0-9_]*", statement), "a parameter was left in the other style"
    assert not re.search(
        r"\b(set\s+local|temp(orary)?\s+table|listen|pg_\w*advisory\w*)\b", statement, re.IGNORECASE
    )
    without_parameters = re.sub(r"%\(\w+\)s", "", statement)
    assert "%" not in without_parameters.replace("%%", ""), "a percent sign would be taken for a parameter"


@pytest.mark.parametrize(("dialect", "verb"), BOTH)
def test_no_comment_and_no_empty_statement_reaches_the_driver(dialect: str, verb: str) -> None:
    for statement in statements(dialect, verb):
        assert statement == statement.strip()
        assert statement
        assert not re.search(r"^\s*--", statement, re.MULTILINE)
        assert ";" not in statement


def test_sqlite_verbs_that_settle_start_with_select_leased_jobs() -> None:
    first = statements("sqlite", "select_leased_jobs")
    for verb in ("advance", "advance_through", "finish", "fail", "suspend", "release"):
        assert statements("sqlite", verb)[: len(first)] == first


def test_a_verb_is_read_once() -> None:
    assert statements("sqlite", "claim") is statements("sqlite", "claim")


@pytest.mark.parametrize(
    "verb",
    [
        *("heartbeat", "progress", "advance", "advance_through", "finish", "fail", "suspend", "release"),
        "lock_leased_job",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_verb_under_a_lease_compares_the_epoch(dialect: str, verb: str) -> None:
    text = " ".join(statements(dialect, verb))
    assert re.search(r"lease_epoch = (item\.epoch|item\.value ->> 'epoch'|%\(epoch\)s|:epoch)", text)
    assert "status = 'PROCESSING'" in text
