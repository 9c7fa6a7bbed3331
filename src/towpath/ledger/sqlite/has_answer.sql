-- Whether the call with this key was answered: a row or none.
select 1 as found from provider_calls where org_id = :org_id and key = :key and status = 'ANSWERED';
