-- Moves the deadline of the run of a leased job; a run without a deadline keeps none.
update processing_runs
set deadline_at = plus_seconds(deadline_at, :seconds)
where deadline_at is not null
  and id = (
    select run_id
    from document_processing_jobs
    where id = :job_id and lease_epoch = :epoch and status = 'PROCESSING'
  );
