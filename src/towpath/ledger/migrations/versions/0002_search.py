"""Creates the search indexes: full text on both engines, nearest vectors on Postgres.

Triggers and generated columns keep them current. Their names contain `search`; `tables.py` does not describe them.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

# Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, Japanese, Han, Korean, half-width Japanese.
# They are indexed as overlapping pairs of letters; the last letter of a sequence is also indexed alone.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\uac00-\ud7a3\uff66-\uff9f"
)

# Two ranges that contain all of those letters: testing two ranges is fifteen times as fast as testing all.
NEAR_UNSPACED = "\u0e01-\u17d3\u3005-\U0003134f"

#: The vector dimensions that get an HNSW index. Vectors of any other dimension are compared row by row.
DIMENSIONS = (256, 384, 512, 768, 1024, 1536)
#: Above 2,000 dimensions pgvector can index half precision only.
HALF_DIMENSIONS = (3072,)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _upgrade_postgres()
    else:
        _upgrade_sqlite()


def _upgrade_sqlite() -> None:
    # The indexed text of each chunk, as a view: a trigger cannot contain the recursive query that splits letters.
    # The view keeps its first name, because triggers of existing databases use it.
    op.execute(f"""
        create view search_passages as
        select number,
               coalesce((select {_in_pairs("titles")}
                         from (select group_concat(value, ' ') as titles
                               from json_each(anchor, '$.heading_path'))), '') as headings,
               {_in_pairs("text")} as body
        from chunks
    """)
    # A contentless index stores no text: to delete a row, the trigger must pass the text that was indexed.
    # Marks (Mn, Mc) are part of words: otherwise the vowel signs of Hindi would split words.
    op.execute("""
        create virtual table search_words using fts5 (
          headings, body, content = '',
          tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
        )
    """)
    # The chunks inserted, deleted or updated last: the vector index reads the changes since its last refresh.
    op.execute("create table search_changes (id integer primary key, number integer not null)")
    add_words = (
        "insert into search_words (rowid, headings, body) "
        "select number, headings, body from search_passages where number = new.number;"
    )
    remove_words = (
        "insert into search_words (search_words, rowid, headings, body) "
        "select 'delete', number, headings, body from search_passages where number = old.number;"
    )
    record = (
        "insert into search_changes (number) values ({row}.number); "
        "delete from search_changes where id <= (select max(id) from search_changes) - 100000;"
    )
    if_changed = (
        "when old.text is not new.text or old.anchor is not new.anchor or old.number is not new.number"
    )
    record_old, record_new = record.format(row="old"), record.format(row="new")
    op.execute(f"create trigger search_insert after insert on chunks begin {add_words} {record_new} end")
    op.execute(f"create trigger search_delete before delete on chunks begin {remove_words} {record_old} end")
    op.execute(f"create trigger search_rewrite before update on chunks {if_changed} begin {remove_words} end")
    op.execute(f"create trigger search_rewritten after update on chunks {if_changed} begin {add_words} end")
    op.execute(f"create trigger search_update after update on chunks begin {record_old} {record_new} end")
    op.execute(
        "insert into search_words (rowid, headings, body) select number, headings, body from search_passages"
    )


def _in_pairs(column: str) -> str:
    """SQL that splits unspaced letters into pairs, in blocks of 64: otherwise n letters would be copied n times."""
    plain = f"replace(replace({column}, 'ё', 'е'), 'Ё', 'Е')"
    # As many letters as bytes: the text is ASCII, with nothing to split or to replace.
    return f"""case when length(cast({column} as blob)) = length({column}) then {column}
    when {column} glob '*[{NEAR_UNSPACED}]*' and {column} glob '*[{UNSPACED}]*' then (
      with recursive
        blocks (place, rest) as (
          select 1, {plain} union all
          select place + 64, substr(rest, 65) from blocks where length(rest) > 64),
        letters (place, rest, left) as (
          select place, substr(rest, 1, 65), min(64, length(rest)) from blocks union all
          select place + 1, substr(rest, 2), left - 1 from letters where left > 1
          order by 1)
      select group_concat(
        case when rest glob '[{UNSPACED}][{UNSPACED}]*' then ' ' || substr(rest, 1, 2) || ' '
             when rest glob '[{UNSPACED}]*' then ' ' || substr(rest, 1, 1) || ' '
             else substr(rest, 1, 1) end, '')
      from letters)
    else {plain} end"""


def _upgrade_postgres() -> None:
    # English stems for Latin words, Russian stems for the others; no stop words, so that every phrase is found.
    for statement in (
        "create text search dictionary search_english (template = snowball, language = english)",
        "create text search dictionary search_russian (template = snowball, language = russian)",
        "create text search configuration search_stems (copy = pg_catalog.simple)",
        "alter text search configuration search_stems alter mapping for asciiword with search_english",
        "alter text search configuration search_stems alter mapping for word with search_russian",
    ):
        op.execute(statement)
    # The names in `return` bodies are resolved at creation: no search_path can change them.
    op.execute(f"""
        create function search_in_pairs (given text) returns text
        language sql immutable strict parallel safe
        return case when given !~ '[{UNSPACED}]' then given else (
          select string_agg(
            case when letter ~ '[{UNSPACED}]' then
              ' ' || letter || case when next ~ '[{UNSPACED}]' then next else '' end || ' '
            else letter end, '' order by place)
          from (select letter, place, lead(letter) over (order by place) as next
                from string_to_table(given, null) with ordinality as letters (letter, place)) as pairs
        ) end
    """)
    # Removes accents (except that of й) and punctuation, which the parser would take for hosts, paths and tags.
    # ASCII text has no accents; the shorter expression takes 0.2 ms instead of 1 ms.
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
    # Ranking reads this column for every candidate: keep it in the row; a long text is moved out of the row instead.
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
