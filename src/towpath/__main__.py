"""`python -m towpath` is the same as `towpath`."""

from towpath.cli import main

main()
