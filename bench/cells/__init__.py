"""Cells: organizations on several Postgres instances behind one router, and moving one of them."""
