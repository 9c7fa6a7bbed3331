"""The stems used for highlighting are the stems of the search indexes."""

from __future__ import annotations

import sqlite3

import pytest

from towpath.text.stemming import stem

ENGLISH = """
caresses ponies ties cats feed agreed plastered motoring sing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational valency hesitancy digitizer
conformably radically differently vilely analogously vietnamization predication operator feudalism
decisiveness hopefulness callousness formality sensitivity sensibility triplicate formative formalize
electricity electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable
defensible irritant replacement adjustment dependent adoption communism activate angularity homologous
effective bowdlerize probate rate cease controlling rolling invoices invoicing terminated termination
tenants leases universities running owed yes say saying by flies dying generously
"""


def test_english_stems_are_those_of_the_full_text_index():
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table words using fts5 (word, tokenize = 'porter unicode61')")
    database.execute("create virtual table stems using fts5vocab ('words', 'instance')")
    for at, word in enumerate(ENGLISH.split()):
        database.execute("insert into words (rowid, word) values (?, ?)", (at, word))
    found = dict(database.execute("select doc, term from stems").fetchall())
    assert {word: stem(word) for word in ENGLISH.split()} == {
        word: found[at] for at, word in enumerate(ENGLISH.split())
    }


@pytest.mark.parametrize(
    "forms",
    [
        "договор договора договору договором договоры договоров договорами",
        "аренда аренды аренде аренду арендой",
        "платёж платеж платежа платежи платежами",
        "оплаченный оплаченная оплаченного",
        "книга книги книг книгой",
        "длинный длинная длинного длиннейший",
    ],
)
def test_the_forms_of_a_russian_word_have_one_stem(forms: str):
    assert len({stem(form) for form in forms.split()}) == 1


def test_other_languages_are_only_folded():
    assert stem("Größe") == "große"
    assert stem("हिन्दी") == "हिन्दी"
    assert stem("東京") == "東京"
    assert stem("INV2024") == "inv2024"
