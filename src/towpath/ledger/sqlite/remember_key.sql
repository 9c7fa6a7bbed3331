-- The document that an Idempotency-Key stands for. Whoever comes second waits for the first, and leaves it as it is.
insert into idempotency_keys (org_id, key, document_id, created_at)
values (:org_id, :key, :document_id, :now)
on conflict do nothing
