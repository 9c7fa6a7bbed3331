-- Selects the document. The transaction already holds SQLite's write lock.
select id, org_id
from documents
where id = :document_id and org_id = :org_id;
