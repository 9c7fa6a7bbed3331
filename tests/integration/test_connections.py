"""Connections between documents: found, updated, pinned and hidden, also while documents change."""

from __future__ import annotations

import random
import uuid

import pytest
from sqlalchemy import delete, insert

from tests.integration.connection_harness import BEES, CANAL, ConnectionHarness, make_connection_harness
from tests.support.books import CHAPTERS, read_book
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.tables import connections, organizations
from towpath.model.job import JobStatus
from towpath.model.run import RunState
from towpath.queries.connections import SHOWN_PER_CHUNK
from towpath.queries.contract import ShownConnection
from towpath.stages import connect


def _retold(text: str, number: int) -> str:
    """The same words, four by four in another order: no sentence recurs."""
    words = text.split()
    groups = [" ".join(words[start : start + 4]) for start in range(0, len(words), 4)]
    random.Random(number).shuffle(groups)
    return " ".join(groups)


#: Documents that quote the same passage, each beside a text of its own.
QUOTING = [f"{BEES.first} {text}" for text in read_book("unrelated_passages").unrelated[:4]]
#: Documents that tell the same, each beside a text of its own.
RETELLING = [
    f"{_retold(BEES.first, number)} {text}"
    for number, text in enumerate(read_book("unrelated_passages").unrelated[:9])
]


@pytest.fixture
def harness(engine: EngineUnderTest) -> ConnectionHarness:
    return make_connection_harness(engine)


async def test_chunks_of_two_documents_on_one_subject_are_connected(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        retelling = await harness.submit("retelling", CANAL.retold, BEES.retold)
        quotes = await harness.submit("quotes", f"Copied on a Sunday. {BEES.first}")
        await harness.wait_until_idle()

    seen = await harness.connections(book)
    assert {(connection.this.text, connection.other.text) for connection in seen} == {
        (BEES.first, BEES.retold),
        (CANAL.first, CANAL.retold),
        (BEES.first, f"Copied on a Sunday. {BEES.first}"),
    }
    assert {connection.other.document_id for connection in seen} == {retelling, quotes}
    kinds = {connection.other.text: connection.kind for connection in seen}
    assert kinds[BEES.retold] == "same_subject"
    assert kinds[f"Copied on a Sunday. {BEES.first}"] == "quotation"
    retold = next(connection for connection in seen if connection.other.text == BEES.retold)
    assert "bees" in retold.shared_terms
    assert retold.similarity is not None
    back = await harness.connections(retelling)
    assert {connection.id for connection in back} & {connection.id for connection in seen} == {
        connection.id for connection in seen if connection.other.document_id == retelling
    }


async def test_a_single_document_and_documents_of_two_organizations_are_not_connected(
    harness: ConnectionHarness,
) -> None:
    other_org = str(uuid.uuid4())
    new_org = insert(organizations).values(id=other_org, name="strangers", created_at=harness.clock.now())
    await harness.ledger.database.run(lambda tx: tx.connection.execute(new_org))
    async with harness.run_worker():
        alone = await harness.submit("alone", BEES.first, BEES.retold)
        plan = RunPlan("document", 1, ("publish",), {"texts": [BEES.first, BEES.second]})
        submission = Submission(a_document("alone", org_id=other_org), plan)
        submitted = await harness.ledger.submit(submission, harness.clock.now())
        harness.notifier.notify()
        await harness.wait_until_idle()
        await harness.connect_again(alone)
    assert [job.status for job in await harness.ledger.jobs(str(submitted.run_id), org_id=other_org)] == [
        JobStatus.COMPLETED,
        JobStatus.COMPLETED,
    ]
    assert await harness.stored() == set()


async def test_documents_are_connected_beside_empty_and_unusual_ones(
    harness: ConnectionHarness,
) -> None:
    table = [f"| {row} | lot {row % 7} | {row * 13 % 97}.50 | paid |" for row in range(300)]
    russian = "Священник больше всего любил своих пчёл. Девять соломенных ульев стояли у южной стены сада."
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first)
        for name, texts in {
            "signs": ["* * *", "---"],
            "one word": ["bees"],
            "a table": table,
            "the same table": table,
            "in Russian": [russian],
            "retelling": [BEES.retold],
        }.items():
            await harness.submit(name, *texts)
        await harness.wait_until_idle()
        _, jobs = await harness.last_run(book)
    assert jobs[-1].status is JobStatus.COMPLETED
    assert {connection.other.text for connection in await harness.connections(book)} == {BEES.retold}
    # The rows of a table are not passages; the two tables are the same document.
    assert sorted(kind for _, _, kind in await harness.stored()) == ["edition", "same_subject"]


async def test_the_order_of_documents_does_not_change_the_connections(
    harness: ConnectionHarness,
) -> None:
    texts = {
        "a": (BEES.first, CANAL.second),
        "b": (BEES.retold, CANAL.first),
        "c": (BEES.second, CANAL.retold),
    }
    async with harness.run_worker():
        for name in "abc":
            await harness.submit(name, *texts[name])
        await harness.wait_until_idle()
        forwards = await harness.stored()
        await harness.delete_all()
        for name in "cab":
            await harness.submit(name, *texts[name])
        await harness.wait_until_idle()
    assert len(forwards) >= 3
    assert await harness.stored() == forwards


async def test_a_changed_text_changes_only_its_own_connections(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        await harness.submit("retelling", BEES.retold, CANAL.retold)
        await harness.wait_until_idle()
        before = {connection.this.text: connection for connection in await harness.connections(book)}
        await harness.rewrite(book, BEES.first, "A page about nothing that anybody else has written of.")
        await harness.wait_until_idle()
    after = {connection.this.text: connection for connection in await harness.connections(book)}
    assert set(after) == {BEES.first}
    assert after[BEES.first].id == before[BEES.first].id


async def test_pins_and_hides_survive_reprocessing_and_small_corrections(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        retelling = await harness.submit("retelling", BEES.retold, CANAL.retold)
        await harness.wait_until_idle()
        pinned, hidden = sorted(
            await harness.connections(book), key=lambda connection: connection.this.text != BEES.first
        )
        await harness.mark(pinned.id, pinned=True)
        await harness.mark(hidden.id, hidden=True)

        await harness.rewrite(book, BEES.first, CANAL.first)
        await harness.wait_until_idle()
        assert await harness.marks(book) == {BEES.first: (True, False), CANAL.first: (False, True)}

        corrected = BEES.first.replace("nine straw hives", "ten straw hives")
        await harness.rewrite(book, corrected, CANAL.first)
        await harness.wait_until_idle()
        assert await harness.marks(book) == {corrected: (True, False), CANAL.first: (False, True)}

        recut = CANAL.retold.replace("On a slate", "Upon a slate")
        await harness.rewrite(retelling, BEES.retold, recut)
        await harness.wait_until_idle()
        assert await harness.marks(book) == {corrected: (True, False), CANAL.first: (False, True)}


async def test_pins_and_hides_follow_their_text_after_an_inserted_paragraph(
    harness: ConnectionHarness,
) -> None:
    """Every chunk begins and ends at another offset, and has another id."""
    bees, canal = BEES.first.split(), CANAL.first.split()
    parts = [bees[:35], bees[35:] + canal[:40], canal[40:]]
    recut = [f"A preface of a few words. {' '.join(parts[0])}", *map(" ".join, parts[1:])]
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        await harness.submit("retelling", BEES.retold, CANAL.retold)
        await harness.wait_until_idle()
        for connection in await harness.connections(book):
            pinned = connection.this.text == BEES.first
            await harness.mark(connection.id, pinned=pinned, hidden=not pinned)
        for _ in range(2):
            await harness.rewrite(book, *recut)
            await harness.wait_until_idle()
        marked = {
            (connection.other.text, connection.pinned, connection.hidden)
            for connection in await harness.connections(book)
            if connection.pinned or connection.hidden
        }
    assert marked == {(BEES.retold, True, False), (CANAL.retold, False, True)}


async def test_a_pinned_connection_stays_although_its_score_is_too_low(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first)
        retelling = await harness.submit("retelling", BEES.retold)
        await harness.wait_until_idle()
        (connection,) = await harness.connections(book)
        await harness.mark(connection.id, pinned=True)
        half = BEES.retold[: len(BEES.retold) // 2]
        await harness.rewrite(retelling, f"{half} {CANAL.first}")
        await harness.wait_until_idle()
    assert await harness.marks(book) == {BEES.first: (True, False)}


async def test_a_deleted_document_has_no_connections(harness: ConnectionHarness) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first)
        other = await harness.submit("retelling", BEES.retold)
        await harness.wait_until_idle()
        assert len(await harness.connections(book)) == 1
        await harness.delete(other)
        assert await harness.connections(book) == []


async def test_a_passage_with_many_connections_shows_the_best_and_replaces_a_deleted_one(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        retelling = [
            await harness.submit(f"retelling {number}", text) for number, text in enumerate(RETELLING)
        ]
        await harness.wait_until_idle()
        shown = [await harness.connections(document) for document in retelling]
        assert max(len(connections) for connections in shown) == SHOWN_PER_CHUNK
        most_connected = max(range(len(retelling)), key=lambda index: len(shown[index]))
        await harness.delete(retelling.pop(most_connected))
        before = {connection.id for connections in shown for connection in connections}
        after = {
            connection.id for document in retelling for connection in await harness.connections(document)
        }
        assert after - before


async def test_a_hidden_connection_does_not_count_for_the_limit(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        retelling = [
            await harness.submit(f"retelling {number}", text) for number, text in enumerate(RETELLING)
        ]
        await harness.wait_until_idle()
        shown = [await harness.connections(document) for document in retelling]
        most_connected = max(range(len(retelling)), key=lambda index: len(shown[index]))
        await harness.mark(shown[most_connected][0].id, hidden=True)
        after = await harness.connections(retelling[most_connected])
        before = {connection.id for connection in shown[most_connected][1:]}
        assert before <= {connection.id for connection in after if not connection.hidden}
        assert [connection.id for connection in after if connection.hidden] == [shown[most_connected][0].id]


async def test_text_that_many_documents_have_is_not_connected(harness: ConnectionHarness) -> None:
    async with harness.run_worker():
        for number in range(7):
            await harness.submit(f"letter {number}", f"{BEES.first} Yours, clerk {number}")
        await harness.wait_until_idle()
        last = await harness.submit("last letter", f"{BEES.first} Yours, the last clerk")
        await harness.wait_until_idle()
        assert await harness.connections(last) == []


async def test_editions_are_one_connection_with_the_share_of_their_text(harness: ConnectionHarness) -> None:
    chapters = [chapter.first for chapter in CHAPTERS[:6]]
    changed = [*chapters[:5], CHAPTERS[7].first]
    async with harness.run_worker():
        first = await harness.submit("first edition", *chapters)
        second = await harness.submit("second edition", *changed)
        review = await harness.submit("review", f"{chapters[0]} {CHAPTERS[8].first}", CHAPTERS[9].first)
        await harness.wait_until_idle()
        by_document = {
            connection.other.document_id: connection for connection in await harness.connections(first)
        }
        assert len(await harness.connections(first)) == 2
        edition = by_document[second]
        assert (edition.kind, edition.similarity) == ("edition", edition.score)
        assert 0.75 < edition.score < 0.95
        assert by_document[review].kind == "quotation"
        assert edition.id in {connection.id for connection in await harness.connections(second)}

        await harness.mark(edition.id, hidden=True)
        await harness.rewrite(second, *changed[::-1])
        await harness.wait_until_idle()
        kinds = [(one.kind, one.hidden) for one in await harness.connections(first)]
        assert sorted(kinds) == [("edition", True), ("quotation", False)]

        await harness.rewrite(second, *(chapter.first for chapter in CHAPTERS[9:12]))
        await harness.wait_until_idle()
        assert "edition" not in {
            one.kind for one in await harness.connections(first) if not (one.pinned or one.hidden)
        }


async def test_the_kind_filters_the_list(harness: ConnectionHarness) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        await harness.submit("retelling", BEES.retold, CANAL.retold)
        await harness.submit("quotes", f"Copied on a Sunday. {BEES.first}")
        await harness.wait_until_idle()
    for kind, count in (("quotation", 1), ("same_subject", 2), ("edition", 0)):
        assert len(await harness.connections(book, kind=kind)) == count


async def test_with_more_matches_than_are_stored_the_order_of_jobs_does_not_matter(
    harness: ConnectionHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "NEIGHBOURS", 4)
    monkeypatch.setattr(connect, "MATCHES_BY_TERMS", 1)
    stored: list[set[tuple[str, str, str]]] = []
    async with harness.run_worker():
        copies = [
            await harness.submit(f"quoting {number}", text, CANAL.first[number * 9 :])
            for number, text in enumerate(QUOTING)
        ]
        await harness.wait_until_idle()
        for copy in copies:
            await harness.connect_again(copy)
        for order in (copies, copies[::-1], [*copies[2:], *copies[:2]]):
            await harness.ledger.database.run(lambda tx: tx.connection.execute(delete(connections)))
            for copy in order:
                await harness.connect_again(copy)
            stored.append(await harness.stored())
    assert len(stored[0]) > 3
    assert stored[0] == stored[1] == stored[2]


async def test_pages_together_are_the_whole_list(
    harness: ConnectionHarness,
) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        for number in range(3):
            await harness.submit(f"copy {number}", BEES.retold, CANAL.retold)
        await harness.wait_until_idle()
    whole = await harness.connections(book)
    await harness.mark(whole[-1].id, pinned=True)
    whole = await harness.connections(book)
    assert whole[0].pinned
    pages: list[ShownConnection] = []
    while page := await harness.connections(book, after=pages[-1].id if pages else None, limit=2):
        pages += page
    assert pages == whole


async def test_a_failed_connect_leaves_the_document_completed(harness: ConnectionHarness) -> None:
    async with harness.run_worker(broken=True):
        book = await harness.submit("book", BEES.first)
        await harness.wait_until_idle()
        run, jobs = await harness.last_run(book)
    assert run.state is RunState.COMPLETED
    assert (jobs[-1].stage, jobs[-1].status) == ("connect", JobStatus.FAILED)
    assert harness.document_status(book) == "COMPLETED"
