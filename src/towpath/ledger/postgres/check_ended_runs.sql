-- Whether one of the documents has a QUEUED run, which may start now, and whether there is a webhook endpoint.
select
  exists(
    select 1
    from processing_runs as run
    where run.document_id = any(
        select cast(value as uuid) from jsonb_array_elements_text(cast(:documents as jsonb)) as value
      )
      and run.state = 'QUEUED'
  ) as has_queued,
  exists(select 1 from webhook_endpoints) as has_endpoints
