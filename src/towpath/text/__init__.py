"""Text analysis for search and connections: tokens, stems, languages and index segments."""
