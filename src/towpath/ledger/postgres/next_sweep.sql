-- The time at which the next lease or deadline can expire.
select least(
  (select min(lease_until) from document_processing_jobs where status = 'PROCESSING'),
  (select min(deadline_at) from processing_runs where state = 'RUNNING' and deadline_at is not null)
) as next_at
