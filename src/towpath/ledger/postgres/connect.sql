-- Inserts or updates the connections whose two chunks exist. A known connection keeps created_at, pinned and hidden.
insert into connections (
  id, org_id, a_chunk_id, b_chunk_id, a_document_id, b_document_id, score, kind, similarity, shared_terms,
  shared_identifiers, pinned, hidden, created_at
)
select
  item.id, cast(:org_id as uuid), a.id, b.id, a.document_id, b.document_id, item.score, item.kind, item.similarity,
  item.shared_terms, item.shared_identifiers, coalesce(mark.pinned, false), coalesce(mark.hidden, false), :now
from jsonb_to_recordset(cast(:rows as jsonb)) as item (
  id uuid, a uuid, b uuid, score double precision, kind text, similarity double precision, shared_terms jsonb,
  shared_identifiers jsonb
)
join chunks as a on a.id = item.a
join chunks as b on b.id = item.b
left join connection_marks as mark on mark.id = item.id
order by item.id
on conflict (a_chunk_id, b_chunk_id) do update
set score = excluded.score, kind = excluded.kind, similarity = excluded.similarity,
  shared_terms = excluded.shared_terms, shared_identifiers = excluded.shared_identifiers
where (
  connections.score, connections.kind, connections.similarity, connections.shared_terms,
  connections.shared_identifiers
) is distinct from (
  excluded.score, excluded.kind, excluded.similarity, excluded.shared_terms, excluded.shared_identifiers
)
