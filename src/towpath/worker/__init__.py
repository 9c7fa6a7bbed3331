"""The worker: claims jobs, runs their stages, settles them, and renews their leases."""
