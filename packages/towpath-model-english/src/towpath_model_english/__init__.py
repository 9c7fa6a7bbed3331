"""Data files of the embedding model `english` of Towpath."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
