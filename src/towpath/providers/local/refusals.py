"""The sentences with which the local readers refuse a file: what is wrong, and what to do about it."""

from __future__ import annotations

from towpath.errors import Rejected


def corrupt(what: str, detail: str = "") -> Rejected:
    because = f" ({detail})" if detail else ""
    return Rejected(
        "corrupt",
        f"This {what} is damaged and cannot be read{because}. "
        "Save it again in the program that made it, or fetch a fresh copy, and upload that.",
    )


def empty(what: str) -> Rejected:
    return Rejected("empty", f"This {what} holds no text. Check that it is the file you meant to upload.")


def encrypted(what: str) -> Rejected:
    return Rejected(
        "encrypted",
        f"This {what} is protected by a password or by copy protection. "
        "Remove the protection in the program that set it and upload the file again.",
    )


def too_large(what: str, detail: str) -> Rejected:
    return Rejected(
        "too_large",
        f"This {what} is too large to be read safely: {detail}. "
        "Split it into smaller files and upload those.",
    )


def unsupported(what: str, remedy: str) -> Rejected:
    return Rejected("unsupported", f"{what} cannot be read. {remedy}")
