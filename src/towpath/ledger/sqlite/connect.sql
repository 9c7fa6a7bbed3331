-- Inserts or updates the connections whose two chunks exist. A known connection keeps created_at, pinned and hidden.
insert into connections (
  id, org_id, a_chunk_id, b_chunk_id, a_document_id, b_document_id, score, kind, reason, pinned, hidden, created_at
)
select
  item.value ->> 'id', :org_id, a.id, b.id, a.document_id, b.document_id, item.value ->> 'score',
  item.value ->> 'kind', item.value ->> 'reason', coalesce(mark.pinned, false), coalesce(mark.hidden, false), :now
from json_each(:rows) as item
cross join chunks as a on a.id = item.value ->> 'a'
cross join chunks as b on b.id = item.value ->> 'b'
left join connection_marks as mark on mark.id = item.value ->> 'id'
where true
on conflict (a_chunk_id, b_chunk_id) do update
set score = excluded.score, kind = excluded.kind, reason = excluded.reason
where (connections.score, connections.kind, connections.reason)
  is not (excluded.score, excluded.kind, excluded.reason);
