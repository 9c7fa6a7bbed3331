-- Says that a worker is alive, and forgets those that have not been heard of for long.
delete from workers where seen_at < :gone and id <> :id;
insert into workers (id, host, pid, slots, stages, started_at, seen_at)
values (:id, :host, :pid, :slots, :stages, :started, :now)
on conflict (id) do update set seen_at = excluded.seen_at
