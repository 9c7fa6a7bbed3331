"""Full text for a bound role.

Row-level security lets nothing but leakproof operators near an index before its own condition, and `@@`
is none: a bound role would read its whole organization for every word. These functions ask in the
owner's name, of the organization that the transaction has named and of no other, and give numbers only.
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

#: Made anew with every migration.
FUNCTIONS = (_MATCHING, _EXPECTED)
