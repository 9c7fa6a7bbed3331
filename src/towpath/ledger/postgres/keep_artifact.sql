-- Stores the row of an artifact of a leased job. The row of a known key keeps its id and creation time.
insert into artifacts (id, org_id, document_id, run_id, kind, key, media_type, size, sha256, created_at)
select
  cast(:id as uuid), job.org_id, job.document_id, job.run_id, cast(:kind as text), cast(:key as text),
  cast(:media_type as text), cast(:size as bigint), cast(:sha256 as text), job.updated_at
from document_processing_jobs as job
where job.id = cast(:job_id as uuid)
on conflict (org_id, key) do update
set document_id = excluded.document_id, run_id = excluded.run_id, kind = excluded.kind,
    media_type = excluded.media_type, size = excluded.size, sha256 = excluded.sha256
