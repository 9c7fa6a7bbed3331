-- The runs that made the content of some documents.
select id, published_run_id
from documents
where id = any(select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value)
  and org_id = cast(:org_id as uuid)
