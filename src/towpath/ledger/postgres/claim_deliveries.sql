-- Takes due webhook deliveries, at most :per_endpoint of each endpoint, so that a dead receiver delays no other.
-- A delivery that is not settled is due again at :until.
with due as (
  select delivery.id
  from webhook_endpoints as endpoint
  cross join lateral (
    select id
    from webhook_deliveries
    where endpoint_id = endpoint.id and status = 'PENDING' and next_attempt_at <= :now
    order by next_attempt_at
    limit :per_endpoint
    for update skip locked
  ) as delivery
  where endpoint.id not in (select cast(value as uuid) from jsonb_array_elements_text(cast(:busy as jsonb)))
  limit :limit
)
update webhook_deliveries as delivery
set epoch = delivery.epoch + 1, next_attempt_at = :until
from due
where delivery.id = due.id
returning delivery.id
