-- Selects the documents whose connections are to be written. The transaction already holds SQLite's write lock, so no
-- chunk changes.
select id, published_run_id
from documents
where id in (select value from json_each(:documents)) and org_id = :org_id;
