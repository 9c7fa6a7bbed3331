"""Recognizes the text of scanned pages and images, with RapidOCR or Tesseract."""
