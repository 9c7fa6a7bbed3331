-- Finds the documents whose connections are to be written. The write lock is held already, so every chunk stays
-- where it is.
select id, published_run_id
from documents
where id in (select value from json_each(:documents)) and org_id = :org_id;
