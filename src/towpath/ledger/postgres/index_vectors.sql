-- Puts published vectors into the HNSW index of their dimension: the index is partial, `where dimension = n`.
-- Rows that another worker indexes at this moment are skipped.
update chunks
set dimension = vector_dims(chunks.vector)
where chunks.id in (
  select id
  from chunks
  where dimension is null and vector is not null
  limit :limit
  for no key update skip locked
)
returning chunks.id
