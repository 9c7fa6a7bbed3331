-- Whether one of the documents has a QUEUED run, which may start now, and whether there is a webhook endpoint. Most have
-- no such run, and `wake_next` is five statements.
select
  exists(
    select 1
    from json_each(:documents) as document
    cross join processing_runs as run on run.document_id = document.value and run.state = 'QUEUED'
  ) as has_queued,
  exists(select 1 from webhook_endpoints) as has_endpoints;
