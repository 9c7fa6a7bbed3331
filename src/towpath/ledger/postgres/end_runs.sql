-- Ends runs and their jobs because the deadline passed or the run was cancelled.
-- A document that has another RUNNING run keeps its status. Its row is updated in any case to lock it: otherwise two
-- runs that end at the same time could each rely on the other to wake the next run.
with cancelled_jobs as (
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
ended_runs as (
  update processing_runs as run
  set state = :state, error = :error, ended_at = :now
  from (select count(*) from cancelled_jobs) as jobs_first
  where run.id = any(
      select cast(value as uuid) from jsonb_array_elements_text(cast(:runs as jsonb)) as value
    )
    and run.state in ('QUEUED', 'RUNNING')
  returning run.id, run.org_id, run.document_id
),
updated_documents as (
  update documents as document
  set status = case
        when exists (
          select 1
          from processing_runs as other
          where other.document_id = document.id and other.state in ('QUEUED', 'RUNNING')
            and other.id not in (select id from ended_runs)
        ) then document.status
        else :state
      end,
      updated_at = :now
  from ended_runs
  where document.id = ended_runs.document_id
),
written_events as (
  insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
  select org_id, id, null, :kind, null, :now, cast(:detail as jsonb) from ended_runs
)
select id as run_id, document_id from ended_runs
