"""EPUB books: the package that lists the chapters, and the chapters themselves."""

from towpath.providers.local.epub.reader import read_epub

__all__ = ["read_epub"]
