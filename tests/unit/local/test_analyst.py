"""The analysis without a model: what was said, picked out."""

from __future__ import annotations

from towpath.model.encode_call import load_analysis
from towpath.providers.local.analyst import analyze_text

CALL = """Speaker 1: Good morning, this is the harbour office. How can I help you?
Speaker 2: The invoice for the oak barrels is wrong. The oak barrels arrived late and two were missing.
Speaker 1: I am sorry to hear that. I will send you a corrected invoice by Friday.
Speaker 2: Thank you, that is great. When will the next oak barrels arrive?"""


def test_a_call_is_told_in_its_own_words() -> None:
    told = load_analysis(analyze_text(CALL))

    assert "oak barrels" in told.topics
    assert "corrected invoice" in told.summary
    assert all(sentence.strip() in CALL for sentence in told.summary.split(". "))
    [item] = [item for item in told.action_items if "corrected" in item.text]
    assert (item.owner, item.due) == ("Speaker 1", "Friday")
    assert "When will the next oak barrels arrive?" in told.questions
    assert {mood.speaker for mood in told.moods} == {"Speaker 1", "Speaker 2"}


def test_hardly_anything_said_is_no_trouble() -> None:
    told = load_analysis(analyze_text("Yes."))

    assert told.summary == "Yes."
    assert (told.action_items, told.questions, told.moods) == ((), (), ())
