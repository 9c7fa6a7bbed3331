-- Locks the documents whose connections are to be written. Publishing and deleting lock the same rows before they
-- change chunks, so no chunk changes until the end of this transaction.
-- Does not wait for locks: a locked row is an error, and the transaction is retried without holding any lock. So it
-- cannot be part of a deadlock.
select id, published_run_id
from documents
where id = any(select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value)
  and org_id = cast(:org_id as uuid)
order by id
for no key update nowait
