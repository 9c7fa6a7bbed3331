"""Reader of PowerPoint presentations (.pptx)."""
