"""The ledger: state of runs, jobs, leases, events and provider calls, in SQLite or Postgres."""
