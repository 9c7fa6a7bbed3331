-- Takes due webhook deliveries, at most :per_endpoint of each endpoint, so that a dead receiver delays no other.
-- A delivery that is not settled is due again at :until.
update webhook_deliveries
set epoch = epoch + 1, next_attempt_at = :until
where id in (
  select id
  from (
    select id, row_number() over (partition by endpoint_id order by next_attempt_at) as place
    from webhook_deliveries
    where status = 'PENDING' and next_attempt_at <= :now
      and endpoint_id not in (select value from json_each(:busy))
  )
  where place <= :per_endpoint
  limit :limit
)
returning id
