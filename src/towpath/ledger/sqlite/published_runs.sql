-- The runs that made the content of some documents.
select id, published_run_id
from documents
where id in (select value from json_each(:documents)) and org_id = :org_id;
