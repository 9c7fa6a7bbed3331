"""Divides the batches of an embedder by halving, so that every size a server accepts reuses the cached answers.

The embedder's own batches do not depend on settings. Each smaller batch is a half, a quarter, … of one of them. So a
batch that was answered with one batch size is found again with any other, and no text is paid for twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from towpath.providers.contract import BatchLimit


def halves(batch: range) -> tuple[range, range]:
    """The two halves of a batch of at least two texts; the second one may be larger by one."""
    middle = (batch.start + batch.stop) // 2
    return range(batch.start, middle), range(middle, batch.stop)


def half_size(batch: range) -> int:
    """The size of the larger half."""
    return (len(batch) + 1) // 2


def subdivisions(batch: range) -> Iterator[range]:
    """The batch, its halves, their halves, down to single texts."""
    yield batch
    if len(batch) > 1:
        for half in halves(batch):
            yield from subdivisions(half)


def divide(
    batch: range, limit: BatchLimit, max_inputs: int, tokens: Sequence[int], answered: Collection[range]
) -> Iterator[range]:
    """The batches to request: the largest within the limits, without the texts of batches that are answered.

    ``tokens`` has the number of tokens of each text. Answered batches are yielded as they are.
    """
    inside = {other for other in answered if batch.start <= other.start and other.stop <= batch.stop}
    fits = len(batch) <= max_inputs and sum(tokens[batch.start : batch.stop]) <= limit.tokens
    if batch in inside or len(batch) == 1 or (fits and not inside):
        yield batch
        return
    for half in halves(batch):
        yield from divide(half, limit, max_inputs, tokens, inside)
