"""Data files of the embedding model `multilingual` of Towpath."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
