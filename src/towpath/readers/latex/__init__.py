"""Reader of LaTeX sources."""
