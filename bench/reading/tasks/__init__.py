"""One module per task: its files with ground truth, its tools and its metrics. `scenario.py` finds them by name."""
