"""Reader of images, by OCR."""
