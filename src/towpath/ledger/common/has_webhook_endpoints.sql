-- Whether there is a webhook endpoint in any organization that this transaction sees.
select 1 as has_endpoints from webhook_endpoints limit 1
