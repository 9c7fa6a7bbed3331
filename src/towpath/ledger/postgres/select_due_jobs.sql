-- Selects the first :limit due jobs in the order in which claim would take them. Locks nothing.
-- include due_jobs
select
  cast(job.id as text), cast(job.org_id as text), cast(job.document_id as text), cast(job.run_id as text),
  job.stage, job.payload, job.lease_epoch
from due_jobs
join document_processing_jobs as job on job.id = due_jobs.id
order by due_jobs.rank_in_org, due_jobs.turn, due_jobs.org_id
limit :limit
