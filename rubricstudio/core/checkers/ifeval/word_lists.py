"""Word lists that the published evaluators look words up in."""

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CONJUNCTIONS: Final = frozenset(_words("and but for nor or so yet"))
"""The coordinating conjunctions."""

PRONOUNS: Final = frozenset(
    _words("""
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
    himself she her hers herself it its itself they them their theirs themselves
    """)
)
"""Personal, possessive and reflexive pronouns; "themself" is none."""

STOP_WORDS: Final = PRONOUNS - {"us", "mine"} | frozenset(
    _words("""
    what which who whom this that these those am is are was were be been being have has had having
    do does did doing a an the and but if or because as until while of at by for with about against
    between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other
    some such no nor not only own same so than too very s t can will just don should now d ll m o re
    ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn
    weren won wouldn
    """)
)
"""The English stop words of NLTK's corpus that hold no mark; the others are never met."""

NAMES: Final = _words("""
    Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander
    Amelia Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella
    Jacob Scarlett Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope
    Thomas Nora Andrew Aria Joseph Claire Ryan Stella Jonathan
""")
"""The names that a prompt with ``count:person_names`` lists."""

CAPITALS: Final = _words("""
    Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin
    Amsterdam Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz
    Chisinau Bern Ljubljana Zagreb
""")
"""The capitals of Europe north of 45 degrees, from north to south as the evaluator has them."""

FRENCH_ABBREVIATIONS: Final = (
    *_words("""
    m mr mme mlle dir. dr dre drs dres prof pr cap lt adm. assoc. min. etc cf vs rép i.e c.-à-d ex
    e.g apr av j.c. j.-c. j.c j.-c a.d env janv fév mar avr juil sept oct nov déc p.-ê. svp p.-v.
    p.v tél adj q.v p resp tel v vol nb n.b p.s ps p.p.s p.-s p-s
    """),
    *("av. è. c.", "è. c", "av. n. è", "de n. è."),
)
"""What the French evaluator knows beyond its trained sentence splitter."""
