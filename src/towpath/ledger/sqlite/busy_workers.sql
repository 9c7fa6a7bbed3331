-- Workers with a session lock that have jobs in process. A worker on SQLite has none: it is the only one.
select worker.id, true as connected
from workers as worker
where worker.session_lock
  and worker.id in (
    select locked_by from document_processing_jobs where status = 'PROCESSING' and locked_by <> :worker
  )
