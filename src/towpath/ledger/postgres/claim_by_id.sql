-- Claims the due ones of the jobs :job_ids, under the same conditions as claim, in the given order.
--
-- Rows that another claim has locked are skipped: the other claim gets them.
with locked_jobs as (
  select job.id, job.run_id, offered.position as rank_in_org, 0 as turn
  from unnest(cast(:job_ids as uuid[])) with ordinality as offered (id, position)
  cross join lateral (
    select job.id, job.run_id
    from document_processing_jobs as job
    where job.id = offered.id and job.status = 'PENDING' and job.available_at <= :now
      and (cast(:stages as text[]) is null or job.stage = any(cast(:stages as text[])))
    for update skip locked
  ) as job
  limit :limit
),
-- include take_jobs
