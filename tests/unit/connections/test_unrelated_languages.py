"""Connections between passages in other languages than English, which the local models do not know."""

from __future__ import annotations

from itertools import combinations

import pytest

from towpath.connections.pair_scoring import DocumentPair
from towpath.connections.similarity_baseline import BASELINES
from towpath.connections.store import DocumentChunks
from towpath.model.writes import Connection, DocumentVersion
from towpath.providers.local.embeddings.wordllama import WordLlamaEmbedder, embed_with_wordllama
from towpath.providers.local.embeddings.wordllama_model import WordLlamaVectors

UNRELATED = {
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
RELATED = {
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


def _connections(one: str, other: str) -> list[Connection]:
    first, second = (
        DocumentChunks(
            DocumentVersion(name, "run"),
            WordLlamaEmbedder.model,
            [name],
            [text],
            embed_with_wordllama([text]),
        )
        for name, text in (("a", one), ("b", other))
    )
    return DocumentPair(first, second, BASELINES[WordLlamaEmbedder.model], WordLlamaVectors()).connections()


@pytest.mark.parametrize("language", UNRELATED)
def test_passages_that_share_only_the_language_are_not_connected(
    language: str,
) -> None:
    assert not [pair for pair in combinations(UNRELATED[language], 2) if _connections(*pair)]


@pytest.mark.parametrize("language", RELATED)
def test_passages_on_one_topic_are_connected_and_the_reason_has_whole_words(
    language: str,
) -> None:
    one, other, words = RELATED[language]
    [connection] = _connections(one, other)
    assert set(connection.reason.removeprefix("Shared terms: ").split(", ")) == words


@pytest.mark.parametrize("language", RELATED)
def test_a_copy_scores_higher_than_a_passage_on_the_same_topic(language: str) -> None:
    one, other, _ = RELATED[language]
    [copy], [related] = _connections(one, one + " 2."), _connections(one, other)
    assert copy.kind == "same_passage"
    assert copy.score > max(0.95, related.score)


def test_contractions_are_not_part_of_a_reason() -> None:
    one = "I don't think that the towpath wasn't flooded; they couldn't mend the towpath."
    other = "Don't walk there: the towpath wasn't mended, and it couldn't be."
    [connection] = _connections(one, other)
    assert connection.reason == "Shared terms: towpath, mend"
