-- Whether the call with this key has a cached answer: a row or none.
select 1 as found
from provider_calls
where org_id = :org_id and key = :key and status = 'ANSWERED'
  and (answer is not null or answer_artifact is not null);
