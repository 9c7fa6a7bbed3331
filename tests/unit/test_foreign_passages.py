"""Passages in other languages than English, which the models that come with Towpath know by their letters only."""

from __future__ import annotations

from itertools import combinations

import pytest

from towpath.model.writes import Connection, Version
from towpath.providers.local.wordllama import StaticEmbedder, embed_statically
from towpath.stages.background import MEASURED
from towpath.stages.capabilities import Passages
from towpath.stages.matching import Comparison

STRANGERS = {
    "Russian": (
        "Обрезайте розы в конце зимы, сразу над почкой, и пропалывайте землю вокруг стебля.",
        "Истец утверждал, что товар поставлен с недостатками; суд отказал в иске с возложением расходов.",
        "Больной жаловался на боль в груди при нагрузке, назначена малая доза аспирина.",
        "Акции перевозчика упали после объявления о слиянии с соперником.",
    ),
    "Chinese": (
        "冬末修剪玫瑰，剪在朝外的芽的上方，保持茎周围的泥土没有杂草。",
        "原告主张货物交付时已有缺陷；法院认为通知过迟，驳回诉讼请求。",
        "病人主诉劳累时胸痛，心电图无异常，医生开了小剂量的阿司匹林。",
        "航空公司宣布与对手合并后股价下跌，分析师感到意外。",
    ),
    "German": (
        "Schneiden Sie die Rosen im Spätwinter über einer Knospe, und halten Sie die Erde frei von Unkraut.",
        "Der Kläger hielt die Ware für mangelhaft; das Gericht wies die Klage kostenpflichtig ab.",
        "Der Patient klagte über Brustschmerzen, und eine kleine Dosis Aspirin wurde verschrieben.",
        "Die Aktien der Fluglinie fielen, nachdem sie den Zusammenschluss mit dem Rivalen bekannt gab.",
    ),
}
KIN = {
    "Russian": (
        "Смотритель шлюза каждое утро открывает деревянные ворота, чтобы баржи с углём прошли по каналу.",
        "Зимой деревянные ворота шлюза замерзают, и смотритель разбивает лёд, чтобы плыли баржи.",
        {"баржи", "ворота", "деревянные", "смотритель", "шлюза"},
    ),
    "Chinese": (
        "运河上的船夫每天早晨打开水闸，让满载煤炭的驳船通过。水闸的木门已经有两百年历史了。",
        "冬天水闸的木门结冰，船夫打开水闸之前要敲碎冰块，满载煤炭的驳船才能航行。",
        {"木门", "打开水闸", "满载煤炭", "船夫", "驳船"},
    ),
    "German": (
        "Der Schleusenwärter öffnet die hölzernen Tore, damit die Kähne mit der Kohle weiterfahren können.",
        "Im Winter frieren die hölzernen Tore ein, und der Schleusenwärter wartet, damit die Kähne heil bleiben.",
        {"hölzernen", "kähne", "schleusenwärter", "tore"},
    ),
}


def _connected(one: str, other: str) -> list[Connection]:
    first, second = (
        Passages(Version(name, "run"), StaticEmbedder.model, [name], [text], embed_statically([text]))
        for name, text in (("a", one), ("b", other))
    )
    return Comparison(first, second, MEASURED[StaticEmbedder.model]).pairs()


@pytest.mark.parametrize("language", STRANGERS)
def test_given_passages_that_have_only_the_language_in_common_then_they_are_not_connected(
    language: str,
) -> None:
    assert not [pair for pair in combinations(STRANGERS[language], 2) if _connected(*pair)]


@pytest.mark.parametrize("language", KIN)
def test_given_passages_on_one_topic_then_they_are_connected_and_the_reason_is_made_of_whole_words(
    language: str,
) -> None:
    one, other, words = KIN[language]
    [found] = _connected(one, other)
    assert (
        set(found.reason.removeprefix("Both speak of ").rstrip(".").replace(" and ", ", ").split(", "))
        == words
    )


@pytest.mark.parametrize("language", KIN)
def test_given_a_copy_then_it_counts_more_than_a_passage_on_the_same_topic(language: str) -> None:
    one, other, _ = KIN[language]
    [copy], [kin] = _connected(one, one + " 2."), _connected(one, other)
    assert copy.kind == "same_passage"
    assert copy.score > max(0.95, kin.score)


def test_given_clipped_words_then_no_reason_is_made_of_what_is_left_of_them() -> None:
    one = "I don't think that the towpath wasn't flooded; they couldn't mend the towpath."
    other = "Don't walk there: the towpath wasn't mended, and it couldn't be."
    [found] = _connected(one, other)
    assert found.reason == "Both speak of towpath and mend."
