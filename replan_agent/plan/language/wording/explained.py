"""An order that is explained: "tidy the desk: put the pen in the tray". The explanation counts.

What comes first says nothing about which thing or where, so what follows says all of it. The
mark is a colon, a dash, brackets, "that is", "namely", "i.e." or "by putting".
"""

from __future__ import annotations

import re

from replan_agent.domain.nouns import singular

from ..everyday import verb_form
from ..words import PUT_VERBS, RELATIONS, VERBS
from .asides import VERB

_START = r'(?:^|(?<=[.;:!?\n]))\s*'
_ASK = r'(?:(?:please|ok|okay|so|now|hey|can you|could you|would you|will you|i want you to),? )*'
_TABLE = (r'(?:table|desk|desktop|tabletop|worktop|workspace|bench|workbench|counter|surface|'
          r'room|place|area|kitchen|office|lab|scene)')
# Things that no explanation can leave out: "the mess", "everything", "my stuff".
_THINGS = (rf'(?:(?:the|my|our|your|this|that|all|all of|all the|up the|these|those) )*(?:{_TABLE}'
           rf'|mess|things?|stuff|objects|items|everything|all|it|this|that|these|those|here|up)'
           rf'(?: (?:on|from|off) (?:the|my|our|this) {_TABLE}| here| there)?')
_PARTICLE = r'(?: up| out| away| off)?'
_ENDS = r'(?: for (?:me|us)| a bit| a little| please| now| first| again)*'
VAGUE = (rf'(?:(?:tidy|clean|clear|sort|organi[sz]e|arrange|rearrange|straighten|declutter|order)'
         rf'{_PARTICLE}(?: {_THINGS})?{_PARTICLE}|put {_THINGS} (?:away|in order|in its place|'
         rf'where (?:it|they) belongs?)|'
         rf'(?:deal with|take care of|handle|see to|look after|fix) {_THINGS}|'
         rf'(?:do|make) (?:some |more |a bit of |a little |the )?(?:order|tidying|cleaning|room|'
         rf'space|tidy-up|clean-up|clearing)(?: up| out| on (?:the|my|our) {_TABLE})?){_ENDS}')
_WORDS = (r'(?:that is to say|that is|that means|which means|namely|i\.? ?e\.?(?!\w)|viz\.?|in '
          r'other words|meaning|by which i mean|specifically|more precisely|to be (?:precise|'
          r'exact)|as follows|like (?:this|so)|in this way|this way)')
# "the stuff that is in the bowl" says which: "that is" needs a mark before it.
_SURE = r'(?:namely|i\.? ?e\.?(?!\w)|viz\.?|in other words|as follows|like (?:this|so))'
_MARK = (rf'(?:\s*(?:[,;:(]|\s[-\u2013\u2014]+\s)\s*\b{_WORDS}[,:]*\s+|\s+{_SURE}[,:]*'
         r'\s+|\s*:\s*|\s*\(\s*|\s+[-\u2013\u2014]+\s+|\s*\u2014\s*)')
_ANY_BODY = r'(?P<body>[^.;!?\n]*(?:\.\d[^.;!?\n]*)*)'
_EXPLAINED = re.compile(rf'(?P<start>{_START}{_ASK})(?P<head>{VAGUE}){_MARK}{_ANY_BODY}')
_BY = re.compile(rf'(?P<start>{_START}{_ASK})(?P<head>{VAGUE}),? by (?P<verb>[a-z]+ing)\b')
# "move the red cube: put it in the bowl", "put the cube away by throwing it in the bin"
_NAMED = (r'(?P<thing>(?:the|my|this|that|these|those|both|all)(?: (?!and\b|or\b|away\b)[\w-]+)'
          r'{1,4}?)')
_OF_ONE = re.compile(
    rf'(?P<start>{_START}{_ASK})(?:move|put|get|tidy|clear|deal with|take care of|handle|see to|'
    rf'sort out|relocate) {_NAMED}(?: away| up| out of the way)?(?:{_MARK}|,? by )'
    rf'(?P<verb>[a-z]+) (?:it|them|both(?: of them)?|all of them)\b')
# "put the stapler away: in the tray", "move the can - 5 cm to the left"
_ITS_PLACE = re.compile(
    rf'(?P<start>{_START}{_ASK})(?P<verb>put|move|place|bring|shift|set) {_NAMED}(?: away)?{_MARK}'
    rf'(?P<body>(?:in|into|on|onto|inside|to|next to|beside|behind|between|near|in front of|left '
    rf'of|right of|(?:about )?\d)\b[^.;!?\n]*(?:\.\d[^.;!?\n]*)*)')
# "sort the cubes: put the red one in the bowl and the blue one in the bin"
_OF_MANY = re.compile(
    rf'(?P<start>{_START}{_ASK})(?:sort|organi[sz]e|arrange|order|deal with|take care of|handle|'
    rf'see to)(?: out| up)? (?:all |both )?(?:of )?(?:the |my |these |those )?(?P<noun>[a-z]+s)'
    rf'(?: out| up)?{_ENDS}(?:{_MARK}|,? by ){_ANY_BODY}')
# Between other orders only words can say that one explains the other.
_SAID = re.compile(rf'(?:\s*[,;(]\s*|\s+[-\u2013\u2014]+\s+)(?:that is to say|that is|namely|'
                   rf'i\.? ?e\.?|viz\.?|in other words)[,:]*\s+(?={VERB} )')
_AS_COMMAS = re.compile(r'\((?P<inside>(?!\s*(?:[-+.\d]|[xy]\s*[=:]))[^()]*)\)')
# What begins like this limits the order before it, or is no order.
_LIMITS = frozenset('not no never only just except but without because so if unless until and or '
                    'it they that this there i we you he she is are'.split())


def explained(text: str) -> str:
    """The text with each explanation instead of the vague order before it."""
    text = _OF_MANY.sub(_of_many, _ITS_PLACE.sub(_its_place, _OF_ONE.sub(_of_one, text)))
    text = _BY.sub(_by, text)
    text = _EXPLAINED.sub(_explanation, text)
    return _SAID.sub(': ', text)


def with_commas(text: str) -> str:
    """The text with commas for brackets. Those of a point, "(0.4, -0.2)", stay."""
    return _AS_COMMAS.sub(lambda match: f', {match["inside"]}, ', text)


def _of_one(match: re.Match[str]) -> str:
    verb = verb_form(match['verb'], VERBS)
    names_place = set(match['thing'].split()) & RELATIONS.keys()
    if verb not in VERBS or names_place:
        return match[0]
    return f'{match["start"]}{verb} {match["thing"]}'


def _its_place(match: re.Match[str]) -> str:
    if set(match['thing'].split()) & RELATIONS.keys():
        return match[0]
    return f'{match["start"]}{match["verb"]} {match["thing"]} {match["body"].rstrip(" )")}'


def _of_many(match: re.Match[str]) -> str:
    """What follows, if it is about things of that kind and begins with a verb."""
    noun = singular(match['noun'])[0]
    body = re.sub(r'\bone(s?)\b(?! of)', rf'{noun}\1', match['body'].strip(' ,()'))
    first = verb_form(body.split(' ')[0], VERBS)
    if first not in VERBS or not re.search(rf'\b{noun}s?\b', body):
        return match[0]
    return match['start'] + ' '.join((first, *body.split(' ')[1:]))


def _by(match: re.Match[str]) -> str:
    verb = verb_form(match['verb'], VERBS)
    return f'{match["start"]}{verb}' if verb in VERBS else match[0]


def _explanation(match: re.Match[str]) -> str:
    body = match['body'].strip(' ,')
    words = re.findall(r"[\w'-]+", body)
    closes = body.endswith(')') and '(' not in body
    acts = words and words[0] not in _LIMITS and (
        verb_form(words[0], VERBS) in VERBS
        or set(words[1:]) & (RELATIONS.keys() | {'goes', 'go', 'belongs', 'belong', 'should'}))
    if not acts or '(' in match[0][:match.start('body') - match.start()] and not closes:
        return match[0]
    first = verb_form(words[0], PUT_VERBS)  # "that is, putting the cube in the bowl"
    rest = body.removesuffix(')') if closes else body
    return match['start'] + first + rest[len(words[0]):]
