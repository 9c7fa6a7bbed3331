-- Whether one of the documents has a QUEUED run, which may start now. Most have none, and `wake_next` is five statements.
select 1 as has_queued
from json_each(:documents) as document
cross join processing_runs as run on run.document_id = document.value and run.state = 'QUEUED'
limit 1;
