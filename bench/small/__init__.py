"""The small scenario: what a note, a one-page PDF or a mail costs from upload to searchable and connected."""
