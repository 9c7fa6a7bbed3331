"""Passages that have nothing to do with each other, and what a model says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bench.quality import beagle, mississippi
from towpath.language.terms import terms
from towpath.providers.contract import Vectors
from towpath.stages.background import Background, longer

Embed = Callable[[list[str]], Vectors]

PASSAGES = (
    "Prune the roses in late winter, just above a bud that faces outwards, and burn whatever shows black spot. "
    "Feed them with bone meal and keep the soil around the stem free of weeds.",
    "The violin enters after eight bars with a falling theme in D minor, answered by the cellos. In the slow movement "
    "the strings are muted, and only the oboe keeps the melody.",
    "Torque the cylinder head bolts in three passes, from the centre outwards. Replace the gasket whenever the head "
    "was lifted, and check the valve clearance on a cold engine.",
    "The plaintiff argued that the goods were defective on delivery; the court held that notice had been given too "
    "late and dismissed the claim with costs.",
    "Glaciers in the northern range lost eleven metres of ice within a decade. Meltwater now forms lakes behind "
    "unstable moraines, and several villages have been given sirens.",
    "Your password expires in fourteen days. Choose one with at least twelve characters, do not reuse it elsewhere, "
    "and turn on confirmation by a second device in the account menu.",
    "The patient complained of chest pain on exertion. Blood pressure was 150 over 95, the electrocardiogram was "
    "unremarkable, and a low dose of aspirin was prescribed.",
    "Migrating cranes rest on the shallow lagoons in October. From the hide visitors may watch thousands of them come "
    "in at sunset, trumpeting, wing to wing.",
    "Knit the sleeve in the round on four needles, decreasing two stitches every sixth row. Cast off loosely, and sew "
    "the shoulder seam with the same yarn.",
    "The emperor divided the provinces among his generals, who minted coins with their own portraits. Within a "
    "generation the frontier had fallen back to the great river.",
    "Shares of the carrier dropped after it announced a merger with its rival. Analysts expect the antitrust "
    "authority to demand that slots be sold at two airports.",
    "Pour the concrete in one go, tamp it with a beam and cover it with wet sacking for a week. Below five degrees it "
    "will not set, and frost will split the slab.",
    "Prime numbers thin out as one counts upwards, yet there is no last one: multiply all that are known, add one, "
    "and some new divisor must appear.",
    "She closed the door behind her without a word, and he listened to her heels on the stairs, the gate, the taxi, "
    "and then to nothing at all.",
    "Vote for the candidate who promised cheaper buses! The debate on Tuesday was watched by nine million people, "
    "most of whom had made up their minds.",
    "Sharks sense the faint electric field of their prey through pores around the snout. Even a flounder buried in "
    "sand betrays itself by the beat of its gills.",
)


#: The same, as long as real chunks.
LONG = (*beagle.STRANGERS, *mississippi.STRANGERS)


def learn(embed: Embed) -> Background:
    """What a model says of short and of long ones, as a line through both."""
    (short, near), (long, far) = (_cosines(embed(list(texts))) for texts in (PASSAGES, LONG))
    start, end = longer(np.array([_words(PASSAGES), _words(LONG)])).tolist()
    mean_growth, spread_growth = (long - short) / (end - start), (far - near) / (end - start)
    mean, spread = short - start * mean_growth, near - start * spread_growth
    return Background(mean, spread, mean_growth, spread_growth, english=True)


def _cosines(vectors: Vectors) -> tuple[float, float]:
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return float(cosines.mean()), float(cosines.std())


def _words(texts: Sequence[str]) -> float:
    return float(np.exp(np.mean([np.log(len(terms(text))) for text in texts])))
