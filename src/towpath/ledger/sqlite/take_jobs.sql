-- Part of claim and claim_by_id: starts the runs of the batch, takes the leases and writes the events.
insert into run_events (org_id, run_id, kind, at)
select run.org_id, run.id, 'RUN_STARTED', :now
from batch
join processing_runs as run on run.id = batch.run_id
where run.state = 'QUEUED'
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = run.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED' and (other.created_at, other.id) < (run.created_at, run.id)))
  );
update processing_runs
set state = 'RUNNING',
    started_at = :now,
    deadline_at = plus_seconds(:now, deadline_seconds)
where state = 'QUEUED'
  and id in (select run_id from batch)
  and not exists (
    select 1
    from processing_runs as other
    where other.document_id = processing_runs.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED'
          and (other.created_at, other.id) < (processing_runs.created_at, processing_runs.id)))
  );
delete from batch
where not exists (
  select 1
  from processing_runs as run
  join document_processing_jobs as job on job.id = batch.job_id
  where run.id = batch.run_id
    and (run.state = 'RUNNING' or (run.state = 'COMPLETED' and job.follow_up))
);
update document_processing_jobs
set status = 'PROCESSING',
    lease_epoch = lease_epoch + 1,
    lease_until = :until,
    last_heartbeat = :now,
    locked_by = :worker,
    locked_at = :now,
    started_at = coalesce(started_at, :now),
    waiting_reason = null,
    waiting_provider = null,
    waiting_until = null,
    waiting_run_id = null,
    waiting_detail = null,
    updated_at = :now
where id in (select job_id from batch);
insert into run_events (org_id, run_id, job_id, kind, stage, at, detail)
select
  batch.org_id, batch.run_id, batch.job_id, 'STEP_STARTED', batch.stage, :now,
  json_object('worker', :worker, 'epoch', job.lease_epoch)
from batch
join document_processing_jobs as job on job.id = batch.job_id
order by batch.rank_in_org, batch.turn, batch.org_id;
select
  job.id, job.org_id, job.document_id, job.run_id, job.stage, job.payload, job.attempts,
  job.max_attempts, job.crashes, job.suspect, job.lease_epoch, job.follow_up, run.pipeline, run.options,
  run.policy,
  (select json_group_object(done.stage, json(done.result))
   from document_processing_jobs as done
   where done.document_id = job.document_id and done.run_id = job.run_id
     and done.status = 'COMPLETED') as results,
  job.sealed_password
from batch
join document_processing_jobs as job on job.id = batch.job_id
join processing_runs as run on run.id = job.run_id
order by batch.rank_in_org, batch.turn, batch.org_id;
