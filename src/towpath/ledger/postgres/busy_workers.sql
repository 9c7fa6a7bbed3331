-- Workers with a session lock that have jobs in process, and whether a session holds the lock. After a start of the
-- database every session is new, and the workers need some seconds to connect again.
with busy as (
  select distinct locked_by as id from document_processing_jobs where status = 'PROCESSING' and locked_by <> :worker
)
select
  worker.id,
  pg_postmaster_start_time() > clock_timestamp() - interval '10 seconds'
  or exists (
    select from pg_locks as held
    where held.locktype = 'advisory'
      and held.database = (select oid from pg_database where datname = current_database())
      and held.classid = 1953458032
      and held.objid = cast(cast(hashtext(worker.id) as bigint) & 4294967295 as oid)
      and held.objsubid = 2
      and held.granted
  ) as connected
from workers as worker
join busy on busy.id = worker.id
where worker.session_lock
