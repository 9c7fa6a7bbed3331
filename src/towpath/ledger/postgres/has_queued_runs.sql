-- Whether one of the documents has a QUEUED run, which may start now.
select 1 as has_queued
from processing_runs as run
where run.document_id = any(
    select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value
  )
  and run.state = 'QUEUED'
limit 1
