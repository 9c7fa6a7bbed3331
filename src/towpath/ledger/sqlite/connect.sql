-- Inserts or updates the connections whose two chunks exist. A known connection keeps created_at, pinned and hidden.
insert into connections (
  id, org_id, a_chunk_id, b_chunk_id, a_document_id, b_document_id, score, kind, similarity, shared_terms,
  shared_identifiers, pinned, hidden, created_at
)
select
  item.value ->> 'id', :org_id, a.id, b.id, a.document_id, b.document_id, item.value ->> 'score',
  item.value ->> 'kind', item.value ->> 'similarity', item.value -> 'shared_terms',
  item.value -> 'shared_identifiers', coalesce(mark.pinned, false), coalesce(mark.hidden, false), :now
from json_each(:rows) as item
cross join chunks as a on a.id = item.value ->> 'a'
cross join chunks as b on b.id = item.value ->> 'b'
left join connection_marks as mark on mark.id = item.value ->> 'id'
where true
on conflict (a_chunk_id, b_chunk_id) do update
set score = excluded.score, kind = excluded.kind, similarity = excluded.similarity,
  shared_terms = excluded.shared_terms, shared_identifiers = excluded.shared_identifiers
where (
  connections.score, connections.kind, connections.similarity, connections.shared_terms,
  connections.shared_identifiers
) is not (
  excluded.score, excluded.kind, excluded.similarity, excluded.shared_terms, excluded.shared_identifiers
);
