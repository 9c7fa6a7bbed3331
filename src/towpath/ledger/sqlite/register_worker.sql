-- Updates the row of a worker and deletes workers that were not seen for a long time.
delete from workers where seen_at < :not_seen_since and id <> :id;
insert into workers (id, host, pid, slots, stages, settings, session_lock, started_at, seen_at)
values (:id, :host, :pid, :slots, :stages, :settings, :session_lock, :started, :now)
on conflict (id) do update set seen_at = excluded.seen_at, session_lock = excluded.session_lock
