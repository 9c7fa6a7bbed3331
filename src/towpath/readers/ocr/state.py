"""The state that OCR passes from page to page of a file; it is stored with each batch of a long scan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OcrState:
    rotation: int = 0
    failed_rotations: int = 0
    any_success: bool = False
    failure: str = ""
    #: Languages of Tesseract that were found in the text; empty before the first page.
    languages: tuple[str, ...] = ()
    failed_scripts: int = 0
    #: Names of the engines that read any page.
    engines: tuple[str, ...] = ()

    @property
    def reported_failure(self) -> str | None:
        """Why no page could be read; None if any page was read."""
        return self.failure if self.failure and not self.any_success else None
