-- Stores the intent to make a provider call; returns a row only to the first worker that inserts the key.
insert into provider_calls (
  id, org_id, key, provider, model, status, document_id, run_id, job_id, lease_epoch, started_at
)
values (
  cast(:id as uuid), cast(:org_id as uuid), :key, :provider, :model, 'STARTED',
  cast(:document_id as uuid), cast(:run_id as uuid), cast(:job_id as uuid), :epoch, :now
)
on conflict (org_id, key) do nothing
returning id
