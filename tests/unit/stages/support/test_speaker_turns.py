"""Segments are divided at sentence ends and pauses, given speakers, and joined to turns."""

from __future__ import annotations

from towpath.model.transcript import Segment, SpeakerSpan, Word
from towpath.stages.support.speaker_labels import label_speakers
from towpath.stages.support.speaker_turns import MAX_TURN_SECONDS, merge_turns, utterances


def spoken(text: str, start: float = 0.0, pace: float = 0.5, speaker: str | None = None) -> Segment:
    """A segment with one word each ``pace`` seconds."""
    words = tuple(
        Word(word.strip(".,?!"), start + i * pace, start + i * pace + 0.8 * pace)
        for i, word in enumerate(text.split())
    )
    return Segment(text, speaker, start, words[-1].end, words)


def test_a_segment_is_divided_after_sentences() -> None:
    parts = utterances(spoken("Good morning. How are you? Fine, thanks."))

    assert [part.text for part in parts] == ["Good morning.", "How are you?", "Fine, thanks."]
    assert [part.start for part in parts] == [0.0, 1.0, 2.5]
    assert [len(part.words) for part in parts] == [2, 3, 2]


def test_a_long_pause_divides_a_segment() -> None:
    words = (Word("so", 0.0, 0.3), Word("well", 2.0, 2.3))

    parts = utterances(Segment("So well", None, 0.0, 2.3, words))

    assert [(part.text, part.start, part.end) for part in parts] == [("So", 0.0, 0.3), ("well", 2.0, 2.3)]


def test_turns_of_one_speaker_are_joined_and_others_are_not() -> None:
    turns = merge_turns(
        [
            spoken("Good morning.", 0.0, speaker="Speaker 1"),
            spoken("How are you?", 1.2, speaker="Speaker 1"),
            spoken("Fine.", 3.0, speaker="Speaker 2"),
            spoken("Good.", 4.0, speaker="Speaker 1"),
            spoken("Goodbye.", 9.0, speaker="Speaker 1"),
        ]
    )

    assert [turn.text for turn in turns] == ["Good morning. How are you?", "Fine.", "Good.", "Goodbye."]
    assert len(turns[0].words) == 5


def test_a_monologue_is_several_turns() -> None:
    turns = merge_turns(
        [spoken("And so it goes on.", index * 3.0, speaker="Speaker 1") for index in range(30)]
    )

    assert len(turns) > 1
    assert all(turn.end - turn.start <= MAX_TURN_SECONDS for turn in turns)


def test_scripts_without_blanks_are_joined_without_blanks() -> None:
    turns = merge_turns([Segment("今日は。", None, 0.0, 1.0), Segment("元気ですか。", None, 1.2, 2.0)])

    assert [turn.text for turn in turns] == ["今日は。元気ですか。"]


def test_words_get_the_speaker_of_their_time() -> None:
    spans = [SpeakerSpan("Speaker 1", 0.0, 2.0), SpeakerSpan("Speaker 2", 2.0, 5.0)]

    parts = label_speakers([spoken("one two three four five six seven eight")], spans)

    assert [(part.speaker, part.text) for part in parts] == [
        ("Speaker 1", "one two three four"),
        ("Speaker 2", "five six seven eight"),
    ]


def test_a_single_word_at_a_change_stays_with_its_sentence() -> None:
    spans = [SpeakerSpan("Speaker 1", 0.0, 3.4), SpeakerSpan("Speaker 2", 3.4, 9.0)]

    [part] = label_speakers([spoken("one two three four five six seven eight")], spans)

    assert part.speaker == "Speaker 1"


def test_without_speakers_nothing_changes() -> None:
    segments = [spoken("Good morning.")]

    assert label_speakers(segments, []) == segments
