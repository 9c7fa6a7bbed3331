-- Moves the deadline of the run of a leased job; a run without a deadline keeps none.
update processing_runs as run
set deadline_at = run.deadline_at + cast(:seconds as double precision) * interval '1 second'
from document_processing_jobs as job
where
  job.id = cast(:job_id as uuid) and job.lease_epoch = :epoch and job.status = 'PROCESSING'
  and run.id = job.run_id and run.deadline_at is not null
