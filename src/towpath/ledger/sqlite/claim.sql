-- Claims the oldest due jobs, taking turns between organizations from the one after :after.
--
--  1. lanes       each (organization, stage) with PENDING jobs, found by one index descent per lane
--  2. due_lanes   the lanes with a due job whose stage this worker has, in the order of turns
--  3. due_jobs    the first :limit due jobs of each lane, ranked within their organization
--  4. RUN_STARTED events, then QUEUED runs become RUNNING if no other run of the document is
--  5. jobs whose run could not start are left out
--  6. the jobs become PROCESSING with a new epoch and lease; STEP_STARTED events
--  7. the claimed jobs with the results of the stages before
--
-- SQLite's write lock is held from the start, so the rows that are read are the rows that are claimed.
delete from batch;
insert into batch (job_id, org_id, document_id, run_id, stage, rank_in_org, turn)
-- include due_jobs
select id, org_id, document_id, run_id, stage, rank_in_org, turn
from due_jobs
order by rank_in_org, turn, org_id
limit :limit;
-- include take_jobs
