"""The edit distance of two texts: insertions, deletions and replacements of characters."""

from __future__ import annotations


def edit_distance(expected: str, found: str) -> int:
    """By Myers' bit vectors in the form of Hyyrö (2003): one long integer per step instead of a row of numbers."""
    if not expected or not found:
        return len(expected) or len(found)
    places: dict[str, int] = {}
    for index, character in enumerate(expected):
        places[character] = places.get(character, 0) | (1 << index)
    everything = (1 << len(expected)) - 1
    last = 1 << (len(expected) - 1)
    plus, minus, distance = everything, 0, len(expected)
    for character in found:
        match = places.get(character, 0)
        diagonal = (((match & plus) + plus) ^ plus) | match | minus
        horizontal_plus = minus | (~(diagonal | plus) & everything)
        horizontal_minus = plus & diagonal
        if horizontal_plus & last:
            distance += 1
        elif horizontal_minus & last:
            distance -= 1
        shifted = ((horizontal_plus << 1) | 1) & everything
        plus = ((horizontal_minus << 1) & everything) | (~(diagonal | shifted) & everything)
        minus = shifted & diagonal
    return distance
