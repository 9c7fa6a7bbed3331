"""Functions that create ``Rejected`` errors for files that cannot be read: the sentence says why and what to do."""

from __future__ import annotations

from towpath.errors import Rejected


def corrupt(format_name: str, detail: str = "") -> Rejected:
    """The file breaks the rules of its format. ``detail`` names the broken part."""
    suffix = f" ({detail})" if detail else ""
    return Rejected(
        "corrupt",
        f"This {format_name} is damaged and cannot be read{suffix}. "
        "Save it again in the program that created it, or get a new copy, and upload that.",
    )


def empty(format_name: str) -> Rejected:
    """The file has no text."""
    return Rejected("empty", f"This {format_name} contains no text. Check that it is the right file.")


def encrypted(format_name: str) -> Rejected:
    """The file needs a password."""
    return Rejected(
        "encrypted", f"This {format_name} is password-protected. Remove the password and upload it again."
    )


def locked_pdf() -> Rejected:
    """The PDF needs a password, which a new run can be given."""
    return Rejected(
        "encrypted", "This PDF is password-protected. Enter its password, or upload a copy without one."
    )


def wrong_password() -> Rejected:
    return Rejected(
        "wrong_password",
        "Wrong password: this PDF does not open with it. Enter another one, or upload a copy without a password.",
    )


def copy_protected(format_name: str) -> Rejected:
    """The file is encrypted by a shop (DRM); its owner has no password to remove."""
    return Rejected("encrypted", f"This {format_name} is copy-protected (DRM). Upload a copy without DRM.")


def too_large(format_name: str, detail: str) -> Rejected:
    """The file exceeds a limit. ``detail`` names the limit."""
    return Rejected(
        "too_large",
        f"This {format_name} is too large: {detail}. Split it into smaller files and upload those.",
    )


def calls_unavailable(package: str) -> Rejected:
    """A package that processes recordings is not installed."""
    return Rejected(
        "calls_unavailable",
        f"Recordings cannot be processed here, because the package {package} is not installed. "
        "Install it: pip install 'towpath[calls]'",
    )


def unsupported(format_name: str, remedy: str) -> Rejected:
    """No reader exists for the format."""
    return Rejected("unsupported", f"{format_name} cannot be read. {remedy}")
