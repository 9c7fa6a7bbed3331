"""Delivers due jobs to workers: from the database, or by BullMQ on Redis."""
