"""English and Russian stopwords. They are matched, but not highlighted and not used to place a snippet."""

from __future__ import annotations

_ENGLISH = """
a about above after again all also am an and any are as at be been before being below but by can could did
do does down for from further had has have having he her here hers him his how i if in into is it its
itself just me more most my no nor not now of off on once only or other our out over own same she should
so some such than that the their them then there these they this those through to too under until up very
was we were what when where which while who whom why will with would you your
"""
_RUSSIAN = """
а без более бы был была были было быть в вам вас ведь весь вот все всего всех вы где да даже для до его ее
если есть еще же за здесь и из или им их к как какая какой когда кто ли либо лишь между меня мне может мой
мы на над надо нас не него нее нет ни них но ну о об один он она они оно от очень по под после потом при
про раз с сам свою себя со так также такой там тебя тем то тогда того тоже той только том тот тут ты у уже
хоть чего чем через что чтобы эта эти это этого этой этом этот эту я
"""

STOPWORDS = frozenset((_ENGLISH + _RUSSIAN).split())
