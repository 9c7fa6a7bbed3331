-- Says that a worker is alive, and forgets those that have not been heard of for long.
with forgotten as (
  delete from workers
  where id in (select id from workers where seen_at < :gone and id <> :id for update skip locked)
)
insert into workers (id, host, pid, slots, stages, started_at, seen_at)
values (:id, :host, :pid, :slots, cast(:stages as jsonb), :started, :now)
on conflict (id) do update set seen_at = excluded.seen_at
