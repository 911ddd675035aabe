"""Tasks that say how things should be: "move the objects so that all cubes form a tower".

Towers and groups are put as the commands that make them. What a sentence adds about a tower or a
group is left out only if it says what every tower or group of these commands is.
"""

from __future__ import annotations

from .counted_words import rewritten, rules
from .wish_frames import MODAL

_THINGS = r'(?:objects?|things?|items?|pieces?|ones)'
_SO = r'(?:so that|so|such that|in such a way that|in a way that)'
_HANDLE = (r'(?:manipulate|rearrange|arrange|move|handle|reorder|organi[sz]e|reorgani[sz]e|'
           r'reposition|use the arm|work)')
_AT = r'(?:in|into|on|onto|to|inside|next to|beside|behind|between|near|at|left of|right of)'
_MAY_NOT = r'(?:cannot|can not|may not|must not|should not|are not allowed to)'
_OTHERS = rf'other (?:(?:types?|kinds?) of )?{_THINGS}'
_TOWER = r'(?:tower|stack|pile|column)'
_GROUP = r'(?:clusters?|groups?|bunch(?:es)?)'
_KEY = r'(?:types?|kinds?|colou?rs?|shapes?)'
_OF_A_KIND = (rf'(?:of (?:the |its |their |that |one )?(?:same |own )?{_KEY}|'
              rf'with (?:the |its )?(?:same |own )?{_KEY})')
_CLEARLY = r'(?:completely |clearly |fully |well |entirely )?'
# What every group is
_DEFINED = (rf'(?:\d[.)] ?)?(?:contain (?:all|only)(?: of)?(?: the)? {_THINGS} {_OF_A_KIND}|'
            rf'form (?:a|one) (?:single )?(?:connected |compact )?{_GROUP}|'
            rf'be {_CLEARLY}(?:separated?|apart|away) from (?:all |any |the )*others?'
            rf'(?: {_GROUP}| {_THINGS})?)')
_OWN = r'(?:separate |distinct |different |own |single |connected |compact )*'
_GROUPS = (
    rf'\b(?:make sure that |ensure that |i want )?([^.;:!?]+?) (?:{MODAL} )?(?:to )?'
    rf'(?:form|forms|make|makes|are in|be in|build) (?:a |one |the )?{_OWN}{_GROUP}',
    r'\b(?:put|sort|split|divide|separate|arrange|organi[sz]e|bring|gather|collect) '
    rf'([^.;:!?]+?) (?:in|into) (?:a |one )?{_OWN}{_GROUP}')
_BY_KEY = (r' (?:based on|by|according to|depending on) (?:their |its |the )?'
           r'(type|kind|colou?r|shape)s?')
_ENDS = r'(?=$|[.,;!?])'
_LIST_WORDS = 'each every all all only only 1 2 3 4 5 6'

OUTCOMES = rules(
    (rf'\b{_HANDLE} (?:the |all |all the |these |some )?{_THINGS}(?: on the table)?,? {_SO} ',
     'make sure that ', 'all'),
    (rf'\b{_HANDLE} ([^,.;:!?]+?),? {_SO} (?:that )?(?:it|they) (?:is|are|ends? up|comes?)'
     rf'(?: placed| put| positioned| located| standing| lying)? (?={_AT} )', r'put \1 '),
    # Whose left: an axis is that of the arm, whoever looks
    (r'\bthe (?:left|right) (side|half)(?: of the (?:table|desk))?,? '
     r'\(?(?:with |at |in )?(positive|negative) y(?:[ -](?:axis|values?|direction))?\)?',
     r'the \2-y \1 of the table'),
    (r'\bthe (?:far|near|front|back|rear) (side|half)(?: of the (?:table|desk))?,? '
     r'\(?(?:with |at |in )?(positive|negative) x(?:[ -](?:axis|values?|direction))?\)?',
     r'the \2-x \1 of the table'),
    # Towers
    (rf'\b(?:make sure that |ensure that |i want )?((?:all|both|the|every|each)\b[^.;:!?]*?) '
     rf'(?:{MODAL} )?(?:to )?(?:form|forms|make|makes|become|be) (?:a|one) '
     rf'(?:single |vertical |tall |straight |common )*({_TOWER})(?=$|[.;!?]| and\b)',
     r'build a tower of \1'),
    (rf'(build a {_TOWER} [^.;:!?]*?)[.,;!]* (?:and )?(?:{_OTHERS} {_MAY_NOT}|'
     rf'no {_OTHERS} (?:may|can|should|must)) be (?:included |used |placed |put )?'
     rf'(?:a part of |part of |in |on )(?:the|a|any|this|that) {_TOWER}',
     r'\1 and nothing else in it', 'not no'),
    # Groups
    *((rf'{begins}{_BY_KEY}{_ENDS}', r'group \1 by \2') for begins in _GROUPS),
    *((rf'{begins}{_ENDS}', r'group \1') for begins in _GROUPS),
    (rf'(group [^.;:!?]+?)[.;!]+ (?:each|every) {_GROUP} {MODAL}\s*:?\s*'
     rf'{_DEFINED}(?:[,.;]* (?:and )?{_DEFINED})*', r'\1', _LIST_WORDS),
)


def with_outcomes(text: str) -> str:
    """The text with each outcome as the command for it."""
    for pattern, words, may_lose in OUTCOMES:
        text = rewritten(pattern, words, text, may_lose)
    return text
