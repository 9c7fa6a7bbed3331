"""What search needs beside the tables: full text on both engines, nearest neighbours on Postgres.

All of it is kept current by the database itself, whoever writes the chunks, and all of it has «search» in
its name: the tables in `tables.py` know nothing of it.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

# Scripts that run on without blanks: Thai, Lao, Burmese, Khmer, Japanese, Han, Korean, narrow Japanese.
# They are indexed as overlapping pairs of letters, and the last letter of a run once more alone.
RUN_ON = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\uac00-\ud7a3\uff66-\uff9f"
)

# Where those scripts lie, roughly: two ranges are looked through fifteen times as fast as all of them.
NEAR_RUN_ON = "\u0e01-\u17d3\u3005-\U0003134f"

#: The lengths of vectors in common use. Any other is searched exactly, row by row.
DIMENSIONS = (256, 384, 512, 768, 1024, 1536)
#: Beyond 2,000 dimensions pgvector can only index half precision.
HALF_DIMENSIONS = (3072,)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _upgrade_postgres()
    else:
        _upgrade_sqlite()


def _upgrade_sqlite() -> None:
    # What the index is told, as a view, since a trigger may not split letters by itself.
    op.execute(f"""
        create view search_passages as
        select number,
               coalesce((select {_in_pairs("titles")}
                         from (select group_concat(value, ' ') as titles
                               from json_each(anchor, '$.heading_path'))), '') as headings,
               {_in_pairs("text")} as body
        from chunks
    """)
    # It keeps no text of its own, and is told what to forget in the words it was told to remember.
    # Marks (Mn, Mc) belong to words: without them the vowel signs of Hindi would cut words to pieces.
    op.execute("""
        create virtual table search_words using fts5 (
          headings, body, content = '',
          tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
        )
    """)
    # Which chunks came, went or changed lately: a cache of vectors reads on from where it stopped.
    op.execute("create table search_changes (id integer primary key, number integer not null)")
    enter = (
        "insert into search_words (rowid, headings, body) "
        "select number, headings, body from search_passages where number = new.number;"
    )
    leave = (
        "insert into search_words (search_words, rowid, headings, body) "
        "select 'delete', number, headings, body from search_passages where number = old.number;"
    )
    note = (
        "insert into search_changes (number) values ({row}.number); "
        "delete from search_changes where id <= (select max(id) from search_changes) - 100000;"
    )
    rewritten = (
        "when old.text is not new.text or old.anchor is not new.anchor or old.number is not new.number"
    )
    noted_old, noted_new = note.format(row="old"), note.format(row="new")
    op.execute(f"create trigger search_insert after insert on chunks begin {enter} {noted_new} end")
    op.execute(f"create trigger search_delete before delete on chunks begin {leave} {noted_old} end")
    op.execute(f"create trigger search_rewrite before update on chunks {rewritten} begin {leave} end")
    op.execute(f"create trigger search_rewritten after update on chunks {rewritten} begin {enter} end")
    op.execute(f"create trigger search_update after update on chunks begin {noted_old} {noted_new} end")
    op.execute(
        "insert into search_words (rowid, headings, body) select number, headings, body from search_passages"
    )


def _in_pairs(column: str) -> str:
    """Splits runs into pairs; in blocks of 64 letters, or a text of n letters would be copied n times."""
    plain = f"replace(replace({column}, 'ё', 'е'), 'Ё', 'Е')"
    # As many letters as bytes: ASCII, where there is nothing to split or to replace.
    return f"""case when length(cast({column} as blob)) = length({column}) then {column}
    when {column} glob '*[{NEAR_RUN_ON}]*' and {column} glob '*[{RUN_ON}]*' then (
      with recursive
        blocks (place, rest) as (
          select 1, {plain} union all
          select place + 64, substr(rest, 65) from blocks where length(rest) > 64),
        letters (place, rest, left) as (
          select place, substr(rest, 1, 65), min(64, length(rest)) from blocks union all
          select place + 1, substr(rest, 2), left - 1 from letters where left > 1
          order by 1)
      select group_concat(
        case when rest glob '[{RUN_ON}][{RUN_ON}]*' then ' ' || substr(rest, 1, 2) || ' '
             when rest glob '[{RUN_ON}]*' then ' ' || substr(rest, 1, 1) || ' '
             else substr(rest, 1, 1) end, '')
      from letters)
    else {plain} end"""


def _upgrade_postgres() -> None:
    # English stems for Latin words, Russian ones for the others; no stop words, so that any phrase is found.
    for statement in (
        "create text search dictionary search_english (template = snowball, language = english)",
        "create text search dictionary search_russian (template = snowball, language = russian)",
        "create text search configuration search_stems (copy = pg_catalog.simple)",
        "alter text search configuration search_stems alter mapping for asciiword with search_english",
        "alter text search configuration search_stems alter mapping for word with search_russian",
    ):
        op.execute(statement)
    # Their bodies are bound to what they name when they are made: no search_path can change them.
    op.execute(f"""
        create function search_in_pairs (given text) returns text
        language sql immutable strict parallel safe
        return case when given !~ '[{RUN_ON}]' then given else (
          select string_agg(
            case when letter ~ '[{RUN_ON}]' then
              ' ' || letter || case when next ~ '[{RUN_ON}]' then next else '' end || ' '
            else letter end, '' order by place)
          from (select letter, place, lead(letter) over (order by place) as next
                from string_to_table(given, null) with ordinality as letters (letter, place)) as pairs
        ) end
    """)
    # No accents (but й is not и), and no punctuation: the parser would see hosts, paths and tags in it.
    # Text of one byte per letter has no accents, and a much shorter way (0.2 instead of 1 ms).
    op.execute(r"""
        create function search_plain (given text) returns text
        language sql immutable strict parallel safe
        return case when octet_length(given) = length(given) then
          regexp_replace(given, '[^[:alnum:]]+', ' ', 'g')
        else regexp_replace(
          normalize(
            regexp_replace(
              normalize(given, NFD), '[\u0300-\u0305\u0307-\u036f]|(?<=[A-Za-z])\u0306', '', 'g'),
            NFC),
          '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf'
          '\u2000-\u206f\u20a0-\u20cf\u2116\u2190-\u23ff\u2500-\u2bff\u3000-\u3004\u3008-\u3020\ufe00-\ufe0f'
          '\uff01-\uff0f\uff1a-\uff20\U0001f000-\U0001faff]+',
          ' ', 'g')
        end
    """)
    op.execute("""
        create function search_lexemes (given text, anchor jsonb) returns tsvector
        language sql immutable strict parallel safe
        return setweight(to_tsvector('search_stems', search_plain(search_in_pairs(
            coalesce((select string_agg(title, ' ')
                      from jsonb_array_elements_text(
                        case jsonb_typeof(anchor -> 'heading_path')
                        when 'array' then anchor -> 'heading_path' else '[]' end) as title), '')
          ))), 'B')
          || to_tsvector('search_stems', search_plain(search_in_pairs(left(given, 100000))))
    """)
    op.execute(
        "alter table chunks add column search_words tsvector "
        "generated always as (search_lexemes(text, anchor)) stored"
    )
    # Ranking reads it for every candidate: it stays in the row, and the text moves out where room is scarce.
    op.execute("alter table chunks alter column search_words set storage main")
    op.execute("create index ix_chunks_search_words on chunks using gin (search_words)")
    for dimension in DIMENSIONS:
        _index_vectors(dimension, "vector")
    for dimension in HALF_DIMENSIONS:
        _index_vectors(dimension, "halfvec")


def _index_vectors(dimension: int, kind: str) -> None:
    op.execute(
        f"create index ix_chunks_search_{dimension} on chunks "
        f"using hnsw ((vector::{kind}({dimension})) {kind}_cosine_ops) where dimension = {dimension}"
    )
