"""One file for each library of the queue benchmark; `contract.py` says what a library promises."""
