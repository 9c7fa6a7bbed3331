"""Data files of the embedding model `fast` of Towpath."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
