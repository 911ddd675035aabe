"""Tasks that say how things should be: "move the objects so that all cubes form a tower".

Towers and groups are put as the commands that make them. What a sentence adds about a tower or a
group is left out only if it says what every tower or group of these commands is.
"""

from __future__ import annotations

import re

from ..words import NOUN_LIKE, TOWERS, VERBS
from .counted_words import rewritten, rules

_THINGS = r'(?:objects?|things?|items?|pieces?|ones)'
_SO = r'(?:so that|so|such that|in such a way that|in a way that)'
_HANDLE = (r'(?:manipulate|rearrange|arrange|move|handle|reorder|organi[sz]e|reorgani[sz]e|'
           r'reposition|use the arm|work)')
_AT = r'(?:in|into|on|onto|to|inside|next to|beside|behind|between|near|at|left of|right of)'
_MUST = r'(?:must|should|shall|has to|have to|needs to|need to|is to)'
_MAY_NOT = r'(?:cannot|can not|may not|must not|should not|shall not|are not allowed to)'
_OTHERS = rf'other (?:(?:types?|kinds?) of )?{_THINGS}'
_TOWER = r'(?:tower|stack|pile|column)'
_GROUP = r'(?:clusters?|groups?|bunch(?:es)?)'
# Words that no list of things has: another clause, a question or a condition begins with them.
_ELSEWHERE = '|'.join((
    *(rf'{verb}s?' for verb in sorted(VERBS - NOUN_LIKE - set(TOWERS))),
    *'goes belongs? stays? then if unless when while once until before after because not never no '
     'is are was were be do does did am has have had will would could should must may might shall '
     'how why what which who where whether i you we he she it that'.split()))
_PLACES = (r'in|into|on|onto|to|at|by|inside|next|beside|behind|between|near|from|left|right|with|'
           r'under|over|above')
_NAMED = rf'((?:(?!\b(?:{_ELSEWHERE})\b)[^.;:!?])+?)'  # things, and maybe where they are
_BARE = rf'((?:(?!\b(?:{_ELSEWHERE}|{_PLACES})\b)[^.;:!?])+?(?: on the table)?)'
_BEGINS = r'(?:^|(?<=[.;:!] )|(?<=\bthen )|(?<=\bplease ))'
_WISH = r'(?:make sure (?:that )?|ensure (?:that )?|see to it that |i want )'
_ENDS = r'(?=$|[.,;!])'
_TOWERS_END = r'(?=$|[.;!]| and\b)'
_OWN = r'(?:separate |distinct |different |own |single |connected |compact )*'
_TALL = r'(?:single |vertical |tall |straight |common )*'


def _outcomes(result: str) -> tuple[str, ...]:
    """How it is said that things should be so. A report ("the cubes form a tower") is none."""
    verb = rf'(?:form|make|become|be|be in|build) {result}'
    now = rf'(?:forms|makes|are in) {result}'
    return (rf'{_BEGINS}{_WISH}{_NAMED} (?:(?:{_MUST} |to )?{verb}|{now})',
            rf'{_BEGINS}{_NAMED} {_MUST} {verb}')


_GROUPS = _outcomes(rf'(?:a |one |the )?{_OWN}{_GROUP}')
_INTO_GROUPS = (r'\b(?:put|sort|split|divide|separate|arrange|organi[sz]e|bring|gather|collect) '
                rf'{_BARE} (?:in|into) (?:a |one )?{_OWN}{_GROUP}')
_BY_KEY = (r' (?:based on|by|according to|depending on) (?:their |its |the )?'
           r'(type|kind|color|colour|shape)s?')

OUTCOMES = rules(
    (rf'\b{_HANDLE} (?:the |all |all the |these |some )?{_THINGS}(?: on the table)?,? {_SO} ',
     'make sure that ', 'all'),
    (rf'\b{_HANDLE} {_BARE},? {_SO} (?:that )?(?:it|they) (?:is|are|ends? up|comes?)'
     rf'(?: placed| put| positioned| located| standing| lying)? (?={_AT} )', r'put \1 '),
    # Whose left: an axis is that of the arm, whoever looks. Both stay, they may contradict.
    (r'\bthe (left|right) (side|half)(?: of the (?:table|desk))?,? '
     r'\(?(?:with |at |in )?(positive|negative) y(?:[ -](?:axis|values?|direction))?\)?',
     r'the \3-y \1 \2 of the table'),
    (r'\bthe (far|near|front|back|rear) (side|half)(?: of the (?:table|desk))?,? '
     r'\(?(?:with |at |in )?(positive|negative) x(?:[ -](?:axis|values?|direction))?\)?',
     r'the \3-x \1 \2 of the table'),
    *((rf'{begins}{_TOWERS_END}', r'make sure that a tower of \1')
      for begins in _outcomes(rf'(?:a|one) {_TALL}{_TOWER}')),
    (rf'((?:build|make sure that) a {_TOWER} [^.;:!?]*?)[.,;!]* (?:and )?(?:{_OTHERS} {_MAY_NOT}|'
     rf'no {_OTHERS} (?:may|can|should|must)) be (?:included |used |placed |put )?'
     rf'(?:a part of |part of |in |on )(?:the|a|any|this|that) {_TOWER}',
     r'\1 and nothing else in it', 'not no'),
    *((rf'{begins}{_BY_KEY}{_ENDS}', r'make sure that a group of \1 by \2') for begins in _GROUPS),
    *((rf'{begins}{_ENDS}', r'make sure that a group of \1') for begins in _GROUPS),
    (rf'{_INTO_GROUPS}{_BY_KEY}{_ENDS}', r'group \1 by \2'),
    (rf'{_INTO_GROUPS}{_ENDS}', r'group \1'),
)

# What is said of every group after that
_OF_A_KIND = (r'(?:of|with) (?:the |its |their |that |one )?(?:same |own )?'
              r'(type|kind|color|colour|shape)s?')
_CLEARLY = r'(?:completely |clearly |fully |well |entirely )?'
_DEFINED = (rf'(?:\d[.)] ?)?(?:contain (?:all|only)(?: of)?(?: the)? {_THINGS} {_OF_A_KIND}|'
            rf'form (?:a|one) (?:single )?(?:connected |compact )?{_GROUP}|'
            rf'be {_CLEARLY}(?:separated?|apart|away) from (?:all |any |the )*others?'
            rf'(?: {_GROUP}| {_THINGS})?)').replace('(type', '(?:type')
_EACH_GROUP = re.compile(
    rf'(\bgroup [^.;:!?]+?)[.;!]+ (?:each|every) {_GROUP} {_MUST}\s*:?\s*'
    rf'({_DEFINED}(?:[,.;]* (?:and )?{_DEFINED})*)')
# What every group is, and the numbers of the list
_MAY_LOSE = 'each every all all only only 1 2 3 4 5 6'


def _of_each_group(match: re.Match[str]) -> str:
    """The command with the kind that its groups are of. What contradicts it stays as it is."""
    said = re.search(rf'{_BY_KEY}$', match[1])
    found = [*([said] if said else []), *re.finditer(_OF_A_KIND, match[2])]
    keys = {'colour' if m[1] == 'color' else 'kind' if m[1] == 'type' else m[1] for m in found}
    if len(keys) > 1:
        return match[0]
    return match[1] + ''.join(f' by {key}' for key in keys if not said)


def with_outcomes(text: str) -> str:
    """The text with each outcome as the command for it."""
    for pattern, words, may_lose in OUTCOMES:
        text = rewritten(pattern, words, text, may_lose)
    return rewritten(_EACH_GROUP, _of_each_group, text, _MAY_LOSE)
