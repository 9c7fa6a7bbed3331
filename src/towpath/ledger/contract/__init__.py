"""The contracts of the ledger and of the other stores in its database."""
