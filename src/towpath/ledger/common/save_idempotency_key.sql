-- Stores the document of an Idempotency-Key. A second transaction with the key waits for the first and changes nothing.
insert into idempotency_keys (org_id, key, document_id, version, created_at)
values (:org_id, :key, :document_id, :version, :now)
on conflict do nothing
