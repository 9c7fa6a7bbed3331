"""The verbs of the ledger: functions that run inside a transaction, such as submit, claim and settle."""
