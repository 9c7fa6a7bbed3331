-- Takes the documents whose connections are to be written. Publishing and deleting take the same rows before they
-- touch a chunk, so until the end of this transaction every chunk stays where it is.
-- It never waits: what is taken already is an error that is tried again from the start, holding nothing, and who
-- never waits while holding cannot be part of a deadlock.
select id, published_run_id
from documents
where id = any(select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value)
  and org_id = cast(:org_id as uuid)
order by id
for no key update nowait
