-- Throttles a provider for all workers; of two throttles the longer one counts.
insert into provider_throttles (provider, throttled_until, reason, detail, updated_at)
values (:provider, :until, :reason, :detail, :now)
on conflict (provider) do update
set throttled_until = max(provider_throttles.throttled_until, excluded.throttled_until),
    reason = case
      when excluded.throttled_until >= provider_throttles.throttled_until then excluded.reason
      else provider_throttles.reason
    end,
    detail = case
      when excluded.throttled_until >= provider_throttles.throttled_until then excluded.detail
      else provider_throttles.detail
    end,
    updated_at = excluded.updated_at
