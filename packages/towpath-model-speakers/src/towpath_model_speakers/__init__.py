"""Data files of the speaker model of Towpath."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
