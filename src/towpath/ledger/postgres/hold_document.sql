-- Takes the document's row, so that queueing a run and ending one cannot miss each other.
select id, org_id
from documents
where id = cast(:document_id as uuid) and org_id = cast(:org_id as uuid)
for no key update
