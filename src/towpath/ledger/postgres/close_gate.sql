-- Closes a provider's gate for everybody; of two complaints the longer one holds.
insert into provider_gates (provider, closed_until, reason, updated_at)
values (:provider, :until, :reason, :now)
on conflict (provider) do update
set closed_until = greatest(provider_gates.closed_until, excluded.closed_until),
    reason = case
      when excluded.closed_until >= provider_gates.closed_until then excluded.reason
      else provider_gates.reason
    end,
    updated_at = excluded.updated_at
