"""Data files of the speech model `whisper` of Towpath."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
