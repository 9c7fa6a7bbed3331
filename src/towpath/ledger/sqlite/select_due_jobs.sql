-- Selects the first :limit due jobs in the order in which claim would take them. Changes nothing.
-- include due_jobs
select
  job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.lease_epoch
from due_jobs
join document_processing_jobs as job on job.id = due_jobs.id
order by due_jobs.rank_in_org, due_jobs.turn, due_jobs.org_id
limit :limit
