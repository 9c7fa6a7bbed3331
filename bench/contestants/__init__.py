"""One file for each contestant of the queue benchmark; `contract.py` says what a contestant promises."""
