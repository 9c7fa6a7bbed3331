"""Finding fields: document properties, positions of values, and limits."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.fields import document_properties
from towpath.fields.display_groups import group_of
from towpath.fields.finder import MAX_VALUES, find_fields
from towpath.fields.language import DocumentLanguage
from towpath.model.content import Block, Box, Extraction, Field, Page


def found(text: str, name: str) -> list[str]:
    return [field.value for field in find_fields(Extraction(text, "t")) if field.name == name]


def the(text: str, name: str) -> Field:
    [field] = [field for field in find_fields(Extraction(text, "t")) if field.name == name]
    return field


def about(text: str, pages: tuple[Page, ...] = (), **metadata: str) -> dict[str, str]:
    return {field.name: field.value for field in find_fields(Extraction(text, "t", pages, metadata=metadata))}


# The document as a whole


def test_words_and_pages_are_counted():
    pages = (Page(1, 0, 9), Page(2, 10, 20))

    assert about("# The well-known lock\n\n| a | -- |\n\nIt's open.", pages)["word_count"] == "6"
    assert about("水门打开 today", pages)["word_count"] == "5"
    assert about("One.", pages)["page_count"] == "2"
    assert "page_count" not in about("One.")


LANGUAGES = {
    "en": "The boat rests at the lock until the keeper opens the gate, and then it goes on.",
    "de": "Das Boot ruht in der Schleuse, bis der Wärter das Tor öffnet, und fährt dann weiter.",
    "fr": "Le bateau se repose dans l'écluse et le gardien ouvre la porte, puis il continue.",
    "es": "El barco descansa en la esclusa hasta que el guardián abre la puerta y luego sigue.",
    "it": "La barca riposa nella chiusa fino a che il guardiano apre la porta, e poi continua.",
    "pt": "O barco descansa na eclusa até que o guarda abra a porta, e depois não para mais no canal.",
    "nl": "De boot rust in de sluis totdat de wachter het hek opent, en vaart dan door.",
    "sv": "Båten vilar i slussen tills vakten öppnar porten, och den går sedan till nästa som är nära.",
    "da": "Båden hviler i slusen indtil vagten åbner porten, og den sejler også videre af sted.",
    "no": "Båten hviler i slusen til vakten åpner porten, og den går også av sted til hva som ble.",
    "fi": "Vene lepää sulussa kunnes vartija avaa portin, ja se on matkalla, mutta ei vielä perillä.",
    "pl": "Łódź odpoczywa w śluzie, aż strażnik otworzy bramę, i nie jest to długo, bo się spieszy.",
    "cs": "Loď odpočívá ve zdymadle, než strážce otevře bránu, a pak se vydá na cestu, která je pro ni.",
    "hu": "A hajó a zsilipben pihen, és az őr kinyitja a kaput, hogy ez nem is egy út.",
    "ro": "Barca se odihnește în ecluză și paznicul deschide poarta, pentru că nu este timp.",
    "tr": "Tekne bekçi kapıyı açana kadar havuzda dinlenir ve sonra bir sonraki için bu yolda gider.",
    "ru": "Лодка стоит в шлюзе, пока сторож не откроет ворота, и потом она идёт дальше по каналу, как и все.",
    "uk": "Човен стоїть у шлюзі, доки сторож не відчинить ворота, і потім він іде далі, як і всі, що є.",
    "bg": "Лодката стои в шлюза, докато пазачът не отвори вратата, и след това тя се отправя на път.",
    "el": "Η βάρκα περιμένει στη δεξαμενή μέχρι να ανοίξει η πύλη.",
    "he": "הסירה נחה בתא השיט עד שהשומר פותח את השער.",
    "ar": "القارب يستريح في الهويس حتى يفتح الحارس البوابة من أجل المرور إلى القناة.",
    "fa": "قایق در آب است و نگهبان در را برای آن باز می‌کند که از این راه برود.",
    "hi": "नाव द्वार खुलने तक प्रतीक्षा करती है और फिर आगे बढ़ती है।",
    "th": "เรือจอดรอจนกว่าประตูน้ำจะเปิด",
    "ko": "배는 문이 열릴 때까지 수문에서 기다립니다.",
    "ja": "船は番人が門を開けるまで水門で休みます。",
    "zh": "船在水闸中休息，直到看守人打开闸门，然后继续前进。",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_language_is_detected(code: str):
    assert the(LANGUAGES[code], "language").value == code


def test_without_enough_text_the_language_of_the_metadata_is_used():
    assert about("4711 / 12", language="de-AT")["language"] == "de"
    assert "language" not in about("4711 / 12")
    french = "Les bateaux sont dans le port avec des marchandises pour une ville qui est sur le canal."
    assert about(french, language="en")["language"] == "fr"


def test_the_title_is_the_files_own_or_the_first_heading_or_line():
    text = "Cover line\n\n## A *Voyage*\n\nText."

    assert about(text, title="Real  title")["title"] == "Real title"
    assert about(text, title="Microsoft Word - draft3.doc")["title"] == "A *Voyage"
    assert about("\n\n**Cover line**\nText.")["title"] == "Cover line"
    assert "title" not in about("")


def test_authors_and_dates_come_from_the_metadata():
    fields = find_fields(
        Extraction(
            "x",
            "t",
            metadata={"authors": "Ada L.; Bob M.", "created": "2024-05-06", "date": "soon"},
        )
    )

    assert [field.value for field in fields if field.name == "author"] == ["Ada L.", "Bob M."]
    assert [field.value for field in fields if field.name == "created"] == ["2024-05-06"]
    assert not [field for field in fields if field.name == "document_date"]


@pytest.mark.parametrize("author", ["None", "brand", "ADK", "CUIT 33693450239", "Microsoft Office User", "-"])
def test_accounts_and_placeholders_are_no_authors(author: str):
    assert "author" not in about("A contract about brand names.", authors=author)


def test_an_author_of_one_word_is_named_in_the_text():
    assert about("Published by Canalworks.", authors="Canalworks")["author"] == "Canalworks"
    assert about("運河", authors="夏目漱石")["author"] == "夏目漱石"


def test_a_language_that_is_a_guess_is_not_shown(monkeypatch: pytest.MonkeyPatch):
    def guess(text: str) -> DocumentLanguage:
        return DocumentLanguage("ca", 0.26)

    monkeypatch.setattr(document_properties, "guess_language", guess)

    assert "language" not in about("Lorem ipsum dolor sit amet")
    assert about("Lorem ipsum dolor sit amet", language="la")["language"] == "la"


# Places and bounds


def test_a_field_has_the_page_and_box_of_its_block():
    text = "First page.\n\nWrite to ann@b.io today."
    pages = (Page(1, 0, 12), Page(2, 13, len(text)))
    blocks = (
        Block(13, len(text), 2, Box(0, 0, 1, 1)),
        Block(13, 31, 2, Box(0.1, 0.2, 0.3, 0.4)),
        Block(0, 12, 1, Box(0, 0, 0.5, 0.5)),
    )

    [email] = [field for field in find_fields(Extraction(text, "t", pages, blocks)) if field.name == "email"]

    assert (email.page, email.box) == (2, Box(0.1, 0.2, 0.3, 0.4))
    assert text[email.start : email.end] == "ann@b.io"


def test_a_value_is_kept_once_at_its_first_position():
    field = the("ann@b.io and ann@b.io and ann@B.io", "email")

    assert (field.start, field.end) == (0, 8)


def test_characters_of_one_field_are_not_used_for_another():
    text = "See https://x.example/2024/05/06/a and IBAN DE89 3704 0044 0532 0130 00."

    assert found(text, "date") == []
    assert found(text, "phone") == []


def test_the_number_of_values_per_name_is_limited():
    text = "\n".join(
        f"Key {chr(97 + n // 26)}{chr(97 + n % 26)}: value {n}\nuser{n}@example.com costs €{n + 10}"
        for n in range(MAX_VALUES + 100)
    )

    fields = find_fields(Extraction(text, "t"))

    assert len([field for field in fields if field.name == "email"]) == MAX_VALUES
    assert len([field for field in fields if field.name.startswith("Key")]) == MAX_VALUES


@given(st.text() | st.text(alphabet="09 .,-+/()@:€$EURDISBN\n|*#ab年İ\ud800"))
def test_any_text_can_be_searched(text: str):
    for field in find_fields(Extraction(text, "t")):
        if field.start is not None and field.end is not None:
            assert 0 <= field.start < field.end <= len(text)
        assert field.value
        assert 0 < field.confidence <= 1


REPEATED_PARTS = ["a", "1", "1 ", "1.", "1,000", "a@", "a.", "+1 ", "+(", "tel: 12 34 ", "$1", "EUR 1 ", "DE12 ",
            "978-1", "10.1000/", "https://a.b/(", "invoice no: a ", "ref:", "k: v\n", "Key word ",
            "12/12/2024 ", "1st of ", "\n", " ", "**", "İ", "1 000 ", "(030) 1", ")"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("part", REPEATED_PARTS)
def test_time_is_linear_for_near_matches(part: str):
    text = part * (300_000 // len(part))

    start = time.process_time()
    find_fields(Extraction(text, "t"))

    assert time.process_time() - start < 4


@pytest.mark.slow
def test_5_mb_of_near_matches_are_searched_in_seconds():
    line = "Tel +49 30 a@b EUR 1.2 DE12 3456 978-1-2 10.1000 http:/ invoice no: Key: 12/31/99 5 Mar "
    text = line * (5_000_000 // len(line))

    start = time.process_time()
    find_fields(Extraction(text, "t"))

    assert time.process_time() - start < 30


def test_many_unnamed_amounts_and_dates_are_data_and_not_shown():
    few = "Paid 10.50 EUR on 2024-05-06."
    many = "\n".join(f"{day}.50 EUR on 2024-05-{day:02}" for day in range(1, 29))

    assert found(few, "amount") == ["10.50 EUR"]
    assert found(few, "date") == ["2024-05-06"]
    assert found(many, "amount") == found(many, "date") == []


def test_nothing_is_taken_from_code_blocks():
    text = "Text.\n\n```sh\nOwner: ann@b.io\nDate: 2024-05-06\n```\n\nReply to bob@c.io."

    assert found(text, "email") == ["bob@c.io"]
    assert found(text, "Owner") == found(text, "date") == []


def test_a_pair_whose_value_has_markup_is_not_shown():
    assert found("Owner: Ann\n\nSource: [the page](https://x.example)\n\nKey: `code`", "Owner") == ["Ann"]
    assert found("Source: [the page](https://x.example)", "Source") == []
    assert found("Key: `code` here", "Key") == []


def test_every_field_has_a_group():
    text = "Write to ann@b.io or https://x.example, arXiv:2401.01234v2, 10.50 EUR, 2024-05-06\n\nOwner: Ann"
    groups = {field.name: group_of(field.name, field.kind) for field in find_fields(Extraction(text, "t"))}

    assert groups["email"] == "contact"
    assert groups["url"] == "links"
    assert groups["arxiv_id"] == "identifiers"
    assert groups["amount"] == "money"
    assert groups["date"] == "dates"
    assert groups["word_count"] == "document"
    assert groups["Owner"] == "other"
