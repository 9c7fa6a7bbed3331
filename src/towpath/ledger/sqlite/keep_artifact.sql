-- Stores the row of an artifact of a leased job. The row of a known key keeps its id and creation time.
insert into artifacts (id, org_id, document_id, run_id, kind, key, media_type, size, sha256, created_at)
select :id, job.org_id, job.document_id, job.run_id, :kind, :key, :media_type, :size, :sha256, job.updated_at
from document_processing_jobs as job
where job.id = :job_id
on conflict (org_id, key) do update
set document_id = excluded.document_id, run_id = excluded.run_id, kind = excluded.kind,
    media_type = excluded.media_type, size = excluded.size, sha256 = excluded.sha256;
