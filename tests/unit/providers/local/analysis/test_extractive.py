"""The extractive call analyzer selects sentences of the transcript."""

from __future__ import annotations

from towpath.model.codec import decode
from towpath.model.transcript import CallAnalysis
from towpath.providers.local.analysis.extractive import analyze_text

CALL = """Speaker 1: Good morning, this is the harbour office. How can I help you?
Speaker 2: The invoice for the oak barrels is wrong. The oak barrels arrived late and two were missing.
Speaker 1: I am sorry to hear that. I will send you a corrected invoice by Friday.
Speaker 2: Thank you, that is great. When will the next oak barrels arrive?"""


def test_a_call_is_summarized_with_its_own_sentences() -> None:
    analysis = decode(analyze_text(CALL), CallAnalysis)

    assert "oak barrels" in analysis.topics
    assert "corrected invoice" in analysis.summary
    assert all(sentence.strip() in CALL for sentence in analysis.summary.split(". "))
    [item] = [item for item in analysis.action_items if "corrected" in item.text]
    assert (item.owner, item.due) == ("Speaker 1", "Friday")
    assert "When will the next oak barrels arrive?" in analysis.questions
    assert {mood.speaker for mood in analysis.moods} == {"Speaker 1", "Speaker 2"}


def test_a_very_short_transcript_is_analyzed() -> None:
    analysis = decode(analyze_text("Yes."), CallAnalysis)

    assert analysis.summary == "Yes."
    assert (analysis.action_items, analysis.questions, analysis.moods) == ((), (), ())
