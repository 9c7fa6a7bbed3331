-- Stores the answer of a brief call that a leased job made. An answer that is stored already stays.
insert into provider_calls (
  id, org_id, key, provider, model, status, document_id, run_id, job_id, lease_epoch, answer, answer_artifact, units,
  cost, started_at, answered_at
)
select
  :id, job.org_id, :key, :provider, :model, 'ANSWERED', job.document_id, job.run_id, job.id, job.lease_epoch, :answer,
  :artifact, :units, :cost, :started_at, :answered_at
from document_processing_jobs as job
where job.id = :job_id
on conflict (org_id, key) do update
set status = 'ANSWERED', answer = excluded.answer, answer_artifact = excluded.answer_artifact, units = excluded.units,
    cost = excluded.cost, answered_at = excluded.answered_at, operation_id = null, error = null
where provider_calls.status <> 'ANSWERED';
