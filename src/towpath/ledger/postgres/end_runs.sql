-- Ends runs from outside, with their jobs: the deadline passed, or a person said stop.
-- A document that another run is still at work on keeps its status. Its row is written all the same: that
-- is the lock by which two runs that end at once do not each leave the next one to the other.
with stopped as (
  update document_processing_jobs as job
  set status = 'CANCELLED',
      lease_epoch = job.lease_epoch + 1,
      lease_until = null,
      completed_at = :now,
      updated_at = :now
  from processing_runs as run
  where run.id = any(
      select cast(value as uuid) from jsonb_array_elements_text(cast(:runs as jsonb)) as value
    )
    and run.state in ('QUEUED', 'RUNNING')
    and job.document_id = run.document_id and job.run_id = run.id
    and job.status in ('PENDING', 'PROCESSING')
  returning job.id, job.run_id
),
ended as (
  update processing_runs as run
  set state = :state, error = :error, ended_at = :now
  from (select count(*) from stopped) as jobs_first
  where run.id = any(
      select cast(value as uuid) from jsonb_array_elements_text(cast(:runs as jsonb)) as value
    )
    and run.state in ('QUEUED', 'RUNNING')
  returning run.id, run.org_id, run.document_id
),
settled as (
  update documents as document
  set status = case
        when exists (
          select 1
          from processing_runs as other
          where other.document_id = document.id and other.state in ('QUEUED', 'RUNNING')
            and other.id not in (select id from ended)
        ) then document.status
        else :state
      end,
      updated_at = :now
  from ended
  where document.id = ended.document_id
),
written as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, id, null, :kind, null, :now, null from ended
)
select id as run_id, document_id from ended
