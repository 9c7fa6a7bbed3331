"""Connections: found between documents that speak of the same thing, and true whatever happens meanwhile."""

from __future__ import annotations

import uuid

import pytest
from sqlalchemy import delete, insert

from tests.integration.connecting import BEES, CANAL, Bookshelf, a_shelf
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.catalogue.contract import ShownConnection
from towpath.ledger.contract import Plan, Submission
from towpath.ledger.tables import connections, organizations
from towpath.model.work import JobStatus, RunState
from towpath.stages import connect


@pytest.fixture
def shelf(engine: EngineUnderTest) -> Bookshelf:
    return a_shelf(engine)


async def test_given_two_documents_on_one_subject_then_their_passages_are_connected(shelf: Bookshelf) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first, CANAL.first)
        retelling = await shelf.file("retelling", CANAL.retold, BEES.retold)
        quotes = await shelf.file("quotes", f"Copied on a Sunday. {BEES.first}")
        await shelf.settled()

    seen = await shelf.connections(book)
    assert {(one.here.text, one.there.text) for one in seen} == {
        (BEES.first, BEES.retold),
        (CANAL.first, CANAL.retold),
        (BEES.first, f"Copied on a Sunday. {BEES.first}"),
    }
    assert {one.there.document_id for one in seen} == {retelling, quotes}
    kinds = {one.there.text: one.kind for one in seen}
    assert kinds[BEES.retold] == "same_topic"
    assert kinds[f"Copied on a Sunday. {BEES.first}"] == "same_passage"
    assert "bees" in next(one.reason for one in seen if one.there.text == BEES.retold)
    back = await shelf.connections(retelling)
    assert {one.id for one in back} & {one.id for one in seen} == {
        one.id for one in seen if one.there.document_id == retelling
    }


async def test_given_a_document_alone_or_of_another_organization_then_nothing_is_connected(
    shelf: Bookshelf,
) -> None:
    strangers = str(uuid.uuid4())
    theirs = insert(organizations).values(id=strangers, name="strangers", created_at=shelf.clock.now())
    await shelf.ledger.database.run(lambda tx: tx.connection.execute(theirs))
    async with shelf.working():
        alone = await shelf.file("alone", BEES.first, BEES.retold)
        plan = Plan("document", 1, ("publish",), {"texts": [BEES.first, BEES.second]})
        submission = Submission(a_document("alone", org_id=strangers), plan)
        submitted = await shelf.ledger.submit(submission, shelf.clock.now())
        shelf.bell.ring()
        await shelf.settled()
        await shelf.connect_again(alone)
    assert [job.status for job in await shelf.ledger.jobs(str(submitted.run_id), org_id=strangers)] == [
        JobStatus.COMPLETED,
        JobStatus.COMPLETED,
    ]
    assert await shelf.stored() == set()


async def test_given_documents_of_odd_shapes_then_all_are_compared_and_the_others_are_connected(
    shelf: Bookshelf,
) -> None:
    table = [f"| {row} | lot {row % 7} | {row * 13 % 97}.50 | paid |" for row in range(300)]
    russian = "Священник больше всего любил своих пчёл. Девять соломенных ульев стояли у южной стены сада."
    async with shelf.working():
        book = await shelf.file("book", BEES.first)
        for name, texts in {
            "signs": ["* * *", "---"],
            "one word": ["bees"],
            "a table": table,
            "the same table": table,
            "in Russian": [russian],
            "retelling": [BEES.retold],
        }.items():
            await shelf.file(name, *texts)
        await shelf.settled()
        _, jobs = await shelf.last_run(book)
        tables = [one for one in await shelf.stored() if one[3] == "same_passage"]
    assert jobs[-1].status is JobStatus.COMPLETED
    assert BEES.retold in {one.there.text for one in await shelf.connections(book)}
    passages = [passage for one in tables for passage in one[:2]]
    assert len(passages) == len(set(passages)), "each row is connected with one row of the other table"


async def test_given_the_same_documents_in_any_order_then_the_connections_are_the_same(
    shelf: Bookshelf,
) -> None:
    texts = {
        "a": (BEES.first, CANAL.second),
        "b": (BEES.retold, CANAL.first),
        "c": (BEES.second, CANAL.retold),
    }
    async with shelf.working():
        for name in "abc":
            await shelf.file(name, *texts[name])
        await shelf.settled()
        forwards = await shelf.stored()
        await shelf.forget_everything()
        for name in "cab":
            await shelf.file(name, *texts[name])
        await shelf.settled()
    assert len(forwards) >= 5
    assert await shelf.stored() == forwards


async def test_given_a_document_whose_text_changed_then_only_its_own_connections_change(
    shelf: Bookshelf,
) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first, CANAL.first)
        await shelf.file("retelling", BEES.retold, CANAL.retold)
        await shelf.settled()
        before = {one.here.text: one for one in await shelf.connections(book)}
        await shelf.rewrite(book, BEES.first, "A page about nothing that anybody else has written of.")
        await shelf.settled()
    after = {one.here.text: one for one in await shelf.connections(book)}
    assert set(after) == {BEES.first}
    assert after[BEES.first].id == before[BEES.first].id


async def test_given_pins_and_hides_then_they_survive_reprocessing_and_small_corrections(
    shelf: Bookshelf,
) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first, CANAL.first)
        retelling = await shelf.file("retelling", BEES.retold, CANAL.retold)
        await shelf.settled()
        pinned, hidden = sorted(await shelf.connections(book), key=lambda one: one.here.text != BEES.first)
        await shelf.mark(pinned.id, pinned=True)
        await shelf.mark(hidden.id, hidden=True)

        await shelf.rewrite(book, BEES.first, CANAL.first)
        await shelf.settled()
        assert await shelf.marks(book) == {BEES.first: (True, False), CANAL.first: (False, True)}

        corrected = BEES.first.replace("nine straw hives", "ten straw hives")
        await shelf.rewrite(book, corrected, CANAL.first)
        await shelf.settled()
        assert await shelf.marks(book) == {corrected: (True, False), CANAL.first: (False, True)}

        recut = CANAL.retold.replace("On a slate", "Upon a slate")
        await shelf.rewrite(retelling, BEES.retold, recut)
        await shelf.settled()
        assert await shelf.marks(book) == {corrected: (True, False), CANAL.first: (False, True)}


async def test_given_a_paragraph_before_all_others_then_pins_and_hides_go_to_where_their_text_went(
    shelf: Bookshelf,
) -> None:
    """Every passage begins and ends elsewhere, and has another id."""
    bees, canal = BEES.first.split(), CANAL.first.split()
    parts = [bees[:35], bees[35:] + canal[:40], canal[40:]]
    recut = [f"A preface of a few words. {' '.join(parts[0])}", *map(" ".join, parts[1:])]
    async with shelf.working():
        book = await shelf.file("book", BEES.first, CANAL.first)
        await shelf.file("retelling", BEES.retold, CANAL.retold)
        await shelf.settled()
        for one in await shelf.connections(book):
            pinned = one.here.text == BEES.first
            await shelf.mark(one.id, pinned=pinned, hidden=not pinned)
        for _ in range(2):
            await shelf.rewrite(book, *recut)
            await shelf.settled()
        decided = {
            (one.there.text, one.pinned, one.hidden)
            for one in await shelf.connections(book)
            if one.pinned or one.hidden
        }
    assert decided == {(BEES.retold, True, False), (CANAL.retold, False, True)}


async def test_given_a_pinned_connection_that_would_not_be_found_again_then_it_stays(
    shelf: Bookshelf,
) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first)
        retelling = await shelf.file("retelling", BEES.retold)
        await shelf.settled()
        (one,) = await shelf.connections(book)
        await shelf.mark(one.id, pinned=True)
        half = BEES.retold[: len(BEES.retold) // 2]
        await shelf.rewrite(retelling, f"{half} {CANAL.first}")
        await shelf.settled()
    assert await shelf.marks(book) == {BEES.first: (True, False)}


async def test_given_a_deleted_document_then_its_connections_are_gone(shelf: Bookshelf) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first)
        other = await shelf.file("retelling", BEES.retold)
        await shelf.settled()
        assert len(await shelf.connections(book)) == 1
        await shelf.delete(other)
        assert await shelf.connections(book) == []


async def test_given_many_twins_then_each_passage_shows_only_the_best_and_others_step_in(
    shelf: Bookshelf,
) -> None:
    async with shelf.working():
        twins = [await shelf.file(f"copy {number}", BEES.first) for number in range(9)]
        await shelf.settled()
        shown = [await shelf.connections(twin) for twin in twins]
        assert max(len(one) for one in shown) == 5
        busiest = twins[max(range(9), key=lambda place: len(shown[place]))]
        neighbour = (await shelf.connections(busiest))[0].there.document_id
        await shelf.delete(neighbour)
        assert len(await shelf.connections(busiest)) == 5


async def test_given_a_hidden_connection_then_it_takes_no_place_from_the_others(shelf: Bookshelf) -> None:
    async with shelf.working():
        twins = [await shelf.file(f"copy {number}", BEES.first) for number in range(9)]
        await shelf.settled()
        shown = [await shelf.connections(twin) for twin in twins]
        busiest = max(range(9), key=lambda place: len(shown[place]))
        await shelf.mark(shown[busiest][0].id, hidden=True)
        after = await shelf.connections(twins[busiest])
        assert len([one for one in after if not one.hidden]) == len(shown[busiest])


async def test_given_more_matches_than_are_kept_then_the_same_are_kept_in_whatever_order_they_are_sought(
    shelf: Bookshelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "DEPTH", 2)
    monkeypatch.setattr(connect, "KEPT", 2)
    sentences = [*BEES.first.split(". "), *BEES.second.split(". "), *BEES.retold.split(". ")]
    found: list[set[tuple[str, str, float, str, str]]] = []
    async with shelf.working():
        twins = [
            await shelf.file(f"copy {number}", ". ".join(sentences[number:]), CANAL.first[number * 9 :])
            for number in range(6)
        ]
        await shelf.settled()
        for order in (twins, twins[::-1], [*twins[3:], *twins[:3]]):
            await shelf.ledger.database.run(lambda tx: tx.connection.execute(delete(connections)))
            for twin in order:
                await shelf.connect_again(twin)
            found.append(await shelf.stored())
    assert len(found[0]) > 6
    assert found[0] == found[1] == found[2]


async def test_given_a_list_that_is_read_in_pages_then_it_is_the_same_list(shelf: Bookshelf) -> None:
    async with shelf.working():
        book = await shelf.file("book", BEES.first, CANAL.first)
        for number in range(3):
            await shelf.file(f"copy {number}", BEES.retold, CANAL.retold)
        await shelf.settled()
    whole = await shelf.connections(book)
    await shelf.mark(whole[-1].id, pinned=True)
    whole = await shelf.connections(book)
    assert whole[0].pinned
    pages: list[ShownConnection] = []
    while page := await shelf.connections(book, after=pages[-1].id if pages else None, limit=2):
        pages += page
    assert pages == whole


async def test_given_connect_that_fails_then_the_document_is_ready_all_the_same(shelf: Bookshelf) -> None:
    async with shelf.working(broken=True):
        book = await shelf.file("book", BEES.first)
        await shelf.settled()
        run, jobs = await shelf.last_run(book)
    assert run.state is RunState.COMPLETED
    assert (jobs[-1].stage, jobs[-1].status) == ("connect", JobStatus.FAILED)
    assert shelf.document_status(book) == "COMPLETED"
