"""The vocabulary of the generated collection: words of each subject, and words of all subjects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a group of documents: its nouns, verbs and adjectives."""

    name: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    adjectives: tuple[str, ...]


def _subject(name: str, nouns: str, verbs: str, adjectives: str) -> Subject:
    return Subject(name, tuple(nouns.split()), tuple(verbs.split()), tuple(adjectives.split()))


SUBJECTS = (
    _subject(
        "tenancy",
        "lease tenant landlord deposit rent premises eviction notice apartment janitor heating inventory",
        "terminated renewed sublet vacated inspected",
        "furnished overdue quarterly residential",
    ),
    _subject(
        "shipping",
        "cargo vessel harbour container customs freight manifest pallet crane tonnage pilot berth",
        "loaded delayed cleared unloaded consigned",
        "bonded refrigerated seaworthy hazardous",
    ),
    _subject(
        "medicine",
        "patient diagnosis dosage surgeon symptom prescription clinic vaccine allergy infusion ward biopsy",
        "examined prescribed admitted discharged vaccinated",
        "chronic acute benign intravenous",
    ),
    _subject(
        "payroll",
        "salary pension bonus overtime payslip withholding allowance vacation employee contract severance union",
        "hired promoted dismissed reimbursed insured",
        "taxable monthly retroactive voluntary",
    ),
    _subject(
        "software",
        "server database release backup latency compiler endpoint queue replica certificate firewall cluster",
        "deployed rolled migrated patched encrypted",
        "stateless idempotent concurrent deprecated",
    ),
    _subject(
        "farming",
        "harvest wheat tractor irrigation orchard fertiliser silo livestock pasture seedling drought granary",
        "ploughed sown watered grafted mown",
        "organic fallow fertile perennial",
    ),
    _subject(
        "astronomy",
        "telescope comet orbit galaxy spectrum nebula eclipse satellite crater parallax quasar supernova",
        "observed catalogued photographed tracked discovered",
        "luminous distant elliptical binary",
    ),
    _subject(
        "cooking",
        "oven dough garlic saucepan recipe butter vinegar onion ladle pastry broth cinnamon",
        "baked simmered chopped whisked marinated",
        "crisp savoury bitter tender",
    ),
    _subject(
        "insurance",
        "premium claim policyholder liability deductible adjuster coverage annuity fraud reinsurance rider actuary",
        "insured settled denied underwritten appealed",
        "comprehensive uninsured lapsed actuarial",
    ),
    _subject(
        "railways",
        "locomotive signal platform timetable viaduct carriage gauge conductor junction siding tunnel ticket",
        "derailed electrified cancelled coupled boarded",
        "freight narrow suburban punctual",
    ),
    _subject(
        "music",
        "violin orchestra sonata rehearsal conductor melody chord tempo soprano score symphony audience",
        "performed composed rehearsed recorded applauded",
        "minor staccato baroque unaccompanied",
    ),
    _subject(
        "litigation",
        "plaintiff defendant verdict subpoena affidavit appeal judge injunction testimony damages hearing clerk",
        "sued acquitted adjourned overruled deposed",
        "frivolous sworn punitive confidential",
    ),
    _subject(
        "energy",
        "turbine grid voltage reactor pipeline battery transformer emission boiler generator substation meter",
        "installed curtailed metered decommissioned refuelled",
        "renewable offshore peak radioactive",
    ),
    _subject(
        "schooling",
        "pupil teacher curriculum exam scholarship classroom lecture diploma semester tuition library homework",
        "graded enrolled expelled taught graduated",
        "remedial elective primary bilingual",
    ),
    _subject(
        "banking",
        "mortgage loan interest collateral ledger overdraft branch creditor currency dividend bond audit",
        "lent repaid defaulted audited hedged",
        "secured solvent variable unsecured",
    ),
    _subject(
        "building",
        "scaffold concrete foundation architect roof mortar beam permit contractor plaster insulation crane",
        "demolished poured surveyed plastered reinforced",
        "structural watertight prefabricated damp",
    ),
    _subject(
        "forestry",
        "timber sawmill spruce beetle logging nursery canopy ranger trail bark firebreak moss",
        "felled replanted thinned burned surveyed",
        "coniferous mossy protected decayed",
    ),
    _subject(
        "aviation",
        "runway cockpit altitude turbulence pilot hangar fuselage airline luggage radar propeller gate",
        "landed grounded refuelled diverted boarded",
        "airborne supersonic pressurised overbooked",
    ),
    _subject(
        "chemistry",
        "acid catalyst polymer solvent reaction crystal molecule titration beaker isotope oxide enzyme",
        "dissolved distilled synthesised heated filtered",
        "volatile alkaline inert soluble",
    ),
    _subject(
        "football",
        "goalkeeper penalty referee stadium midfield transfer league offside trainer coach striker derby",
        "scored tackled substituted booked relegated",
        "unbeaten injured defensive amateur",
    ),
)

_SHARED = """
report year company date amount project document team plan process customer meeting office department agreement
payment number period service price question letter summary budget supplier region manager schedule quality risk
target review result problem order form file list table figure page section
"""
_CONNECTING = "before after because although while unless until when whereas since"
_SYLLABLES = "ka ver los mi ran tho bel zur qui fen dor ash ply gor nim sut hal wex jor pid"

#: Words of all subjects, with falling frequency.
SHARED = tuple(_SHARED.split())
CONNECTING = tuple(_CONNECTING.split())
#: Syllables of the generated names.
SYLLABLES = tuple(_SYLLABLES.split())
