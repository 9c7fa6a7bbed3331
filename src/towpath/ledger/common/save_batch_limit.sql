-- Stores the number of inputs per request that a server accepts.
insert into provider_batch_limits (provider, endpoint, inputs, updated_at)
values (:provider, :endpoint, :inputs, :now)
on conflict (provider, endpoint) do update
set inputs = excluded.inputs, updated_at = excluded.updated_at
