"""Common English words: sharing them is no evidence that two texts are about the same subject.

The most frequent English words that are not stopwords. There is no list for other languages: all their words
have full weight.
"""

from __future__ import annotations

from towpath.text.stemming import stem

_NOUNS = """
time year years people way day days man men woman women thing things child children life world hand hands part place
case week weeks company system program question work government number night nights point home water room mother area
money story fact month months lot study book eye eyes job word words business issue side kind head house service
friend friends father power hour hours game line end member law car city community name team minute minutes idea body
information parent face level office door person art war history party result change morning evening afternoon reason
girl boy boys moment air force foot feet age plan interest death experience effect use class control field role effort
rate heart show light voice wife mind price report decision son daughter brother sister view town village road street
arm difference value building action season society record paper space ground form event matter couple site activity
table need situation cost figure picture practice piece land product wall news test step turn top bottom middle front
back corner edge order sort bit summer winter spring autumn country family sound colour color noise sun sky weather
"""
_VERBS = """
say said says get got gets make made makes go goes went gone know knew known take took taken takes see saw seen come
came comes think thought look looked looks want wanted give gave given gives find found finds tell told ask asked seem
seemed seems feel felt try tried leave left call called keep kept let begin began begun help show showed shown hear
heard play run ran runs move moved live lived lives believe hold held bring brought happen happened write wrote written
provide sit sat stand stood lose lost pay paid meet met include continue set learn learned lead led understand watch
watched follow followed stop stopped create speak spoke read allow add added spend spent grow grew open opened walk
walked win offer remember love consider appear buy wait serve die send sent expect build built stay fall fell fallen
cut reach reached remain suggest raise raised pass passed sell sold require decide pull pulled carry carried turned
put start started close closed lay lie rise rose risen throw thrown thrown draw drawn break broke broken pick need
"""
_OTHERS = """
good new first last long great little own other old right big high different small large next early young important
few public bad same able better best sure free true whole clear full near far late hard real possible low short less
least well also even still never always often sometimes soon now then today tomorrow yesterday again away down out
over once together almost enough quite rather really perhaps maybe already yet later ago around each every many much
most some several both half double single one two three four five six seven eight nine ten eleven twelve twenty thirty
forty fifty hundred thousand million second third quarter dozen dark light cold hot warm dry wet heavy quick slow deep
"""
_FUNCTION_WORDS = """
himself herself themselves myself yourself ourselves oneself anybody somebody nobody everybody anyone someone everyone
anything something nothing everything anywhere somewhere nowhere everywhere may might must shall ought cannot like
unlike without within upon among amongst between against toward towards along across behind beside besides beyond
during since because though although whether either neither however therefore thus hence unless except instead
whose whatever whenever wherever whoever indeed especially certainly simply merely scarcely hardly nearly mostly
generally usually commonly frequently seldom ever else another quickly
"""
_HEADINGS = """
chapter section part page pages volume appendix figure table note notes contents index introduction preface summary
conclusion paragraph article item annex heading title author document edition
"""
_CONTRACTIONS = "ain aren couldn didn doesn don hadn hasn isn mustn needn shouldn wasn weren wouldn"

#: As stems, because texts are compared by stems.
COMMON_WORDS = frozenset(
    stem(word) for word in f"{_NOUNS} {_VERBS} {_OTHERS} {_FUNCTION_WORDS} {_HEADINGS}".split()
)
#: First parts of contractions such as "don't", as stems.
CONTRACTION_STUMPS = frozenset(stem(word) for word in _CONTRACTIONS.split())
