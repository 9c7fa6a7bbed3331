-- Finds the document. The write lock is held already.
select id, org_id
from documents
where id = :document_id and org_id = :org_id;
