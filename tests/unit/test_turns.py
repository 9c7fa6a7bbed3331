"""A transcript in passages: by turns and time, with places that know their second."""

from __future__ import annotations

from towpath.model.transcript import Segment, Transcript, Word
from towpath.providers.tokens import estimate
from towpath.search.moments import heard_at, second_of
from towpath.stages.measuring import measure
from towpath.stages.turns import LONGEST_SECONDS, MOST_TOKENS, cut_turns

DOCUMENT = "00000000-0000-7000-8000-000000000042"


def talk(*said: tuple[str | None, str], seconds: float = 4.0, pause: float = 0.5) -> Transcript:
    """Utterances of equal length, one after another."""
    step = seconds + pause
    return Transcript(
        tuple(Segment(text, who, n * step, n * step + seconds) for n, (who, text) in enumerate(said))
    )


def test_a_passage_ends_where_somebody_else_begins_once_it_is_worth_finding() -> None:
    long = "The barrels were delivered to the wharf below the mill and nobody was there to count them. " * 2
    chunks = cut_turns(
        DOCUMENT, talk(("Ada", long), ("Keeper", long), ("Keeper", "Yes."), ("Ada", "No.")), estimate
    )

    assert [chunk.anchor.speaker for chunk in chunks] == ["Ada", "Keeper", "Ada"]
    assert [chunk.anchor.seconds_start for chunk in chunks] == [0.0, 4.5, 13.5]


def test_short_turns_stay_together_and_name_their_speakers() -> None:
    transcript = talk(("Ada", "Is it open?"), ("Keeper", "Not yet."), ("Ada", "When?"))
    [chunk] = cut_turns(DOCUMENT, transcript, estimate)

    assert chunk.text == "Ada: Is it open?\nKeeper: Not yet.\nAda: When?"
    assert chunk.anchor.speaker is None
    assert transcript.text[chunk.anchor.start : chunk.anchor.end] == chunk.text


def test_nothing_is_lost_and_no_passage_is_too_long() -> None:
    said = [(None, f"Sentence number {n} about the water in the lock and the gates.") for n in range(400)]
    transcript = talk(*said)
    chunks = cut_turns(DOCUMENT, transcript, estimate)

    assert "\n".join(chunk.text for chunk in chunks) == transcript.text
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(chunk.tokens <= MOST_TOKENS for chunk in chunks)
    for chunk in chunks:
        assert chunk.anchor.seconds_start is not None
        assert chunk.anchor.seconds_end is not None
        assert chunk.anchor.seconds_end - chunk.anchor.seconds_start <= LONGEST_SECONDS
    assert cut_turns(DOCUMENT, transcript, estimate) == chunks


def test_a_place_in_a_passage_is_heard_at_its_second() -> None:
    words = tuple(Word(f"word{n}", n * 2.0, n * 2.0 + 1) for n in range(20))
    transcript = Transcript((Segment(" ".join(word.text for word in words), None, 0.0, 39.0, words),))
    [chunk] = cut_turns(DOCUMENT, transcript, estimate)

    for word in words:
        assert abs(second_of(chunk.anchor.moments, chunk.text.index(word.text)) - word.start) < 2.0
    anchor = {"seconds_start": 0.0, "seconds_end": 39.0, "moments": chunk.anchor.moments}
    assert heard_at(anchor, lambda: chunk.text.index("word12")) == {
        "seconds_start": 24.0,
        "seconds_end": 39.0,
    }
    assert heard_at({"page": 3}, lambda: 5) == {"page": 3}


def test_shares_monologues_and_silences_are_counted() -> None:
    transcript = Transcript(
        (
            Segment("One.", "Ada", 0.0, 10.0),
            Segment("Two.", "Ada", 11.0, 30.0),
            Segment("Three.", "Keeper", 50.0, 60.0),
        )
    )
    measures = measure(transcript, 70.0)

    assert measures.shares == {"Ada": 29 / 39, "Keeper": 10 / 39}
    assert measures.monologue is not None
    assert (measures.monologue.speaker, measures.monologue.start, measures.monologue.end) == (
        "Ada",
        0.0,
        30.0,
    )
    assert [(silence.start, silence.end) for silence in measures.silences] == [(30.0, 50.0), (60.0, 70.0)]
