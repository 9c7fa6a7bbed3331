"""Words are stemmed by Snowball, with the stemmer of the text's language."""

from __future__ import annotations

import pytest

from towpath.text.stemming import ALGORITHMS, stem

# Words with the stems that Snowball publishes for them in its own vocabularies.
SNOWBALL = {
    "en": "consign consigned consigning consignment:consign knackeries:knackeri knots:knot generously:generous",
    "ru": "стена:стен стены:стен важная:важн важнейшие:важн кандалах:кандал попадешь:попадеш",
    "de": "aufeinander:aufeinand aufenthalt:aufenthalt kategorischen:kategor käuflichkeit:kauflich",
    "fr": "continuellement:continuel majestueusement:majestu mainte:maint",
    "es": "chicharrones:chicharron torneado:torn",
    "it": "abbandonata:abbandon pronunciare:pronunc",
    "nl": "lichamelijk:lichamelijk",
    "sv": "jaktkarlarne:jaktkarl",
    "fi": "edeltäjiinsä:edeltäj innostuksesta:innostuks",
    "pt": "boataria:boat quilométricas:quilométr",
}


@pytest.mark.parametrize("language", SNOWBALL)
def test_stems_are_those_of_the_vocabularies_of_snowball(language: str):
    pairs = [pair.split(":") for pair in SNOWBALL[language].split() if ":" in pair]
    assert {word: stem(word, language) for word, _ in pairs} == dict(pairs)


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("ru", "договор договора договору договором договоры договоров договорами"),
        ("ru", "стена стены стене стену"),
        ("ru", "платёж платеж платежа платежи платежами"),
        ("de", "Rechnung Rechnungen"),
        ("de", "Größe Größen"),
        ("tr", "kitap kitaplar"),
        ("el", "δρόμος δρόμου"),
        ("es", "factura facturas"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(language: str, forms: str):
    assert len({stem(form, language) for form in forms.split()}) == 1


def test_every_language_of_snowball_has_a_stemmer():
    for language in ALGORITHMS:
        assert stem("12345", language) == "12345"
        stem("words", language)


def test_a_word_in_another_script_is_stemmed_as_the_language_of_that_script():
    assert stem("invoices", "ru") == stem("invoices", "en") == "invoic"
    assert stem("договора", "de") == stem("договора", "ru")


def test_words_of_languages_without_a_stemmer_are_only_folded():
    assert stem("người", "vi") == "người"
    assert stem("東京", "ja") == "東京"
    assert stem("INV2024") == "inv2024"


def test_turkish_has_a_dotted_and_a_dotless_i():
    assert stem("IŞIK", "tr") == stem("ışık", "tr")
    assert stem("İZMİR", "tr") == stem("izmir", "tr")
