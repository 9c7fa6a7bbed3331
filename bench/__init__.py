"""Benchmarks of Towpath: named scenarios, each measured against its peers in one run on one machine."""
