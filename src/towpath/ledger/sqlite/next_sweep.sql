-- The time at which the next lease or deadline can expire.
select min(next_at) as next_at
from (
  select min(lease_until) as next_at from document_processing_jobs where status = 'PROCESSING'
  union all
  select min(deadline_at) from processing_runs where state = 'RUNNING' and deadline_at is not null
);
