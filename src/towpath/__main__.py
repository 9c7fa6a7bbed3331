"""`python -m towpath` is the same as `towpath`."""

from towpath.cli import main

if __name__ == "__main__":
    main()
