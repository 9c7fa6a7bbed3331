"""Reader of Word documents (.docx)."""
