"""Splitting transcripts into chunks by speaker turns and time, with timestamps."""

from __future__ import annotations

from towpath.chunking.transcript_chunker import MAX_SECONDS, MAX_TOKENS, chunk_transcript
from towpath.model.transcript import Interruption, Segment, Transcript, Word
from towpath.providers.token_counter import estimate
from towpath.search.match_timestamps import anchor_at_match, interpolate_seconds
from towpath.stages.support.call_metrics import call_metrics

DOCUMENT = "00000000-0000-7000-8000-000000000042"


def talk(*said: tuple[str | None, str], seconds: float = 4.0, pause: float = 0.5) -> Transcript:
    """Utterances of equal length, one after another."""
    step = seconds + pause
    return Transcript(
        tuple(Segment(text, who, n * step, n * step + seconds) for n, (who, text) in enumerate(said))
    )


def test_a_chunk_ends_at_a_change_of_speaker_once_it_is_long_enough() -> None:
    long = "The barrels were delivered to the wharf below the mill and nobody was there to count them. " * 2
    chunks = chunk_transcript(
        DOCUMENT, talk(("Ada", long), ("Keeper", long), ("Keeper", "Yes."), ("Ada", "No.")), estimate
    )

    assert [chunk.anchor.speaker for chunk in chunks] == ["Ada", "Keeper", "Ada"]
    assert [chunk.anchor.seconds_start for chunk in chunks] == [0.0, 4.5, 13.5]


def test_short_turns_stay_together_and_name_their_speakers() -> None:
    transcript = talk(("Ada", "Is it open?"), ("Keeper", "Not yet."), ("Ada", "When?"))
    [chunk] = chunk_transcript(DOCUMENT, transcript, estimate)

    assert chunk.text == "Ada: Is it open?\nKeeper: Not yet.\nAda: When?"
    assert chunk.anchor.speaker is None
    assert transcript.text[chunk.anchor.start : chunk.anchor.end] == chunk.text


def test_every_utterance_is_in_a_chunk_and_no_chunk_is_too_long() -> None:
    said = [(None, f"Sentence number {n} about the water in the lock and the gates.") for n in range(400)]
    transcript = talk(*said)
    chunks = chunk_transcript(DOCUMENT, transcript, estimate)

    assert "\n".join(chunk.text for chunk in chunks) == transcript.text
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(chunk.tokens <= MAX_TOKENS for chunk in chunks)
    for chunk in chunks:
        assert chunk.anchor.seconds_start is not None
        assert chunk.anchor.seconds_end is not None
        assert chunk.anchor.seconds_end - chunk.anchor.seconds_start <= MAX_SECONDS
    assert chunk_transcript(DOCUMENT, transcript, estimate) == chunks


def test_an_offset_in_a_chunk_maps_to_its_second() -> None:
    words = tuple(Word(f"word{n}", n * 2.0, n * 2.0 + 1) for n in range(20))
    transcript = Transcript((Segment(" ".join(word.text for word in words), None, 0.0, 39.0, words),))
    [chunk] = chunk_transcript(DOCUMENT, transcript, estimate)

    for word in words:
        assert abs(interpolate_seconds(chunk.anchor.moments, chunk.text.index(word.text)) - word.start) < 2.0
    anchor = {"seconds_start": 0.0, "seconds_end": 39.0, "moments": chunk.anchor.moments}
    assert anchor_at_match(anchor, lambda: chunk.text.index("word12")) == {
        "seconds_start": 24.0,
        "seconds_end": 39.0,
    }
    assert anchor_at_match({"page": 3}, lambda: 5) == {"page": 3}


def test_shares_monologues_and_silences_are_counted() -> None:
    transcript = Transcript(
        (
            Segment("One.", "Ada", 0.0, 10.0),
            Segment("Two.", "Ada", 11.0, 30.0),
            Segment("Three.", "Keeper", 50.0, 60.0),
        )
    )
    measures = call_metrics(transcript, 70.0, overlaps_known=False)

    assert measures.shares == {"Ada": 29 / 39, "Keeper": 10 / 39}
    assert measures.monologue is not None
    assert (measures.monologue.speaker, measures.monologue.start, measures.monologue.end) == (
        "Ada",
        0.0,
        30.0,
    )
    assert [(silence.start, silence.end) for silence in measures.silences] == [(30.0, 50.0), (60.0, 70.0)]


def test_interruptions_are_known_only_where_each_speaker_has_a_channel() -> None:
    segments = (
        Segment("So what I wanted to say is", "Speaker 1", 0.0, 6.0),
        Segment("mhm", "Speaker 2", 2.0, 2.4),
        Segment("No, let me finish first.", "Speaker 2", 5.0, 9.0),
    )

    known = call_metrics(Transcript(segments), 10.0, overlaps_known=True)
    unknown = call_metrics(Transcript(segments), 10.0, overlaps_known=False)

    assert known.interruptions == (Interruption("Speaker 2", "Speaker 1", 5.0),)
    assert unknown.interruptions is None
