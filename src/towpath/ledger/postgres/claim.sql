-- Claims the oldest due jobs, taking turns between organizations from the one after :after.
--
--  1. org_ranges       the two ranges of organization ids: those after :after first, then the rest
--  2. lanes            each (organization, stage) with PENDING jobs, found by one index descent per lane
--  3. due_lanes        the lanes whose oldest job is due and whose stage this worker has
--  4. due_jobs         the first :window due jobs of each lane, ranked within their organization
--  5. locked_jobs      the first :limit of them in rank order that no other claim holds, locked
--  6. started_runs     QUEUED runs of these jobs become RUNNING if no other run of the document is
--  7. claimed_jobs     the jobs become PROCESSING with a new epoch and lease
--  8. written_events   RUN_STARTED and STEP_STARTED
--
-- Rows are fetched by `= any(array(...))` and by lateral look-ups, so that a plan made while the tables were empty
-- is still a walk through primary keys when they hold a million rows.
-- include due_jobs
,
locked_jobs as (
  -- Rows that another claim has locked are skipped.
  select job.id, job.run_id, ranked.rank_in_org, ranked.turn
  from (select id, rank_in_org, turn from due_jobs order by rank_in_org, turn, org_id) as ranked
  cross join lateral (
    select job.id, job.run_id
    from document_processing_jobs as job
    where job.id = ranked.id and job.status = 'PENDING' and job.available_at <= :now
    for update skip locked
  ) as job
  limit :limit
),
-- include take_jobs
