"""Word documents: the body with its headings, lists, tables, text boxes and notes."""

from towpath.providers.local.docx.reader import read_docx

__all__ = ["read_docx"]
