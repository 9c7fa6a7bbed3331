"""SQL functions for full-text search under row-level security.

With row-level security Postgres uses an index before the policy only for leakproof operators. `@@` is not
leakproof, so the application role would read all chunks of its organization for every query. These functions run
as the owner of the tables, restricted to the organization in `towpath.org`, and return only chunk numbers.
"""

from __future__ import annotations

_MATCHING = """
create or replace function search_matching (wanted tsquery, document uuid, kind text, most integer)
returns setof bigint language plpgsql stable security definer set search_path from current as $$
declare
  org uuid := nullif(current_setting('towpath.org', true), '')::uuid;
begin
  -- Written out, so that every question is planned for its own words and organization.
  return query execute
    format('select number from chunks where search_words @@ %L::tsquery and org_id = %L', wanted, org)
    || case when document is null then '' else format(' and document_id = %L', document) end
    || case when kind is null then '' else format(
      ' and document_id in (select id from documents where org_id = %L and kind = %L)', org, kind
    ) end
    || format(' limit %s', most);
end $$
"""

_EXPECTED = """
create or replace function search_expected (wanted tsquery)
returns integer language plpgsql security definer
set search_path from current set max_parallel_workers_per_gather = 0 as $$
declare
  plan json;
begin
  execute format(
    'explain (format json) select from chunks where search_words @@ %L::tsquery and org_id = %L',
    wanted, nullif(current_setting('towpath.org', true), '')::uuid
  ) into plan;
  return (plan -> 0 -> 'Plan' ->> 'Plan Rows')::integer;
end $$
"""

#: Replaced by every `towpath migrate`.
FUNCTIONS = (_MATCHING, _EXPECTED)
