-- Locks the document's row: queueing a run and ending a run of the same document must not overlap.
select id, org_id
from documents
where id = cast(:document_id as uuid) and org_id = cast(:org_id as uuid)
for no key update
