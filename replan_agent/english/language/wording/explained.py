"""An order that is explained: "tidy the desk: put the pen in the tray". The explanation counts.

What comes first says nothing about which thing or where, so what follows says all of it. The
mark is a colon, a dash, brackets, "that is", "namely", "i.e." or "by putting".
"""

from __future__ import annotations

import re

from ...nouns import singular
from ..everyday import verb_form
from ..words import FETCH_VERBS, PICK_VERBS, PUT_VERBS, RELATIONS, VERBS

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
# Before a place, "that is" may say which one: "the cube away, that is in the bowl".
_PLACE_MARK = (rf'(?:\s*(?:[,;:(]|\s[-\u2013\u2014]+\s)\s*\b(?:{_WORDS}[,:]+|{_SURE})\s+|\s+'
               rf'{_SURE}[,:]*\s+|\s*:\s*|\s*\(\s*|\s+[-\u2013\u2014]+\s+|\s*\u2014\s*)')
_SURE_MARK = re.compile(rf'^[^(]*(?::|,\s*$|[-\u2013\u2014]\s*$|{_SURE})')
_ANY_BODY = r'(?P<body>[^.;!?\n]*(?:\.\d[^.;!?\n]*)*)'
_EXPLAINED = re.compile(rf'(?P<start>{_START}{_ASK})(?P<head>{VAGUE}){_MARK}{_ANY_BODY}')
_BY = re.compile(rf'(?P<start>{_START}{_ASK})(?P<head>{VAGUE}),? by (?=[a-z]+ing\b){_ANY_BODY}')
# "move the red cube: put it in the bowl", "put the cube away by throwing it in the bin"
_NAMED = (r'(?P<thing>(?:the|my|this|that|these|those|both|all)(?: (?!and\b|or\b|away\b)[\w-]+)'
          r'{1,4}?)')
_OF_ONE = re.compile(
    rf'(?P<start>{_START}{_ASK})(?:move|put|get|tidy|clear|deal with|take care of|handle|see to|'
    rf'sort out|relocate) {_NAMED}(?: away| up| out of the way)?(?:{_MARK}|,? by )'
    rf'(?P<verb>[a-z]+) (?:it|them|both(?: of them)?|all of them)\b{_ANY_BODY}')
# "put the stapler away: in the tray", "move the can - 5 cm to the left"
_ITS_PLACE = re.compile(
    rf'(?P<start>{_START}{_ASK})(?P<verb>put|move|place|bring|shift|set) {_NAMED}(?P<away> away)?'
    rf'{_PLACE_MARK}'
    rf'(?P<body>(?:in|into|on|onto|inside|to|next to|beside|behind|between|near|in front of|left '
    rf'of|right of|(?:about )?\d)\b[^.;!?\n]*(?:\.\d[^.;!?\n]*)*)')
# "sort the cubes: put the red one in the bowl and the blue one in the bin"
_OF_MANY = re.compile(
    rf'(?P<start>{_START}{_ASK})(?:sort|organi[sz]e|arrange|order|deal with|take care of|handle|'
    rf'see to)(?: out| up)? (?:all |both )?(?:of )?(?:the |my |these |those )?(?P<noun>[a-z]+s)'
    rf'(?: out| up)?{_ENDS}(?:{_MARK}|,? by ){_ANY_BODY}')
_POINT = r'(?!\s*(?:[-+.\d]|[xy]\s*[=:]))'
_NOT_THESE = re.compile(r'\(\s*(?P<inside>(?:but )?not (?:the|my|any|those|these)\b[^()]*)\)')
_LAST = re.compile(rf'\({_POINT}(?P<inside>[^()]*)\)(?=\s*(?:$|[.;!?\n]))')
_REMARK = re.compile(r'(?:it is|they are|it looks|they look) (?P<how>[^()]*)')
# What has one of these limits the order before it, says how all should be, or is a part of it.
_LIMITS = frozenset(
    'not no none never nothing nor neither only just without because so if unless until when '
    'while before after once or either maybe perhaps might may could should must ought is '
    'are was were be stay stays remain remains keep keeps leave leaves avoid empty clear most '
    'least than max first last begin start starting example eg also too well instead again still '
    'rather there i we you he she'.split())
# "put the pen in the tray, the rest stays": all is said.
_REST_STAYS = re.compile(
    r',? (?:and |but )?(?:(?:the rest|the others|everything else|all else) (?:stays?|remains?)|'
    r'(?:leave|keep) (?:the rest|the others|everything else|all else))\b[^,]*$')
_EXCEPT = {'except', 'but'}
_STANDS = re.compile(rf'\b(?:on|onto|to) (?:the |my |our |this |your )?{_TABLE}\b')
# "take the cube in the bowl" says which one, not where to.
_MOVES = PUT_VERBS - PICK_VERBS - FETCH_VERBS - {'gather', 'arrange'} | {'stack', 'pile'}
_INTO = {'in', 'into', 'inside'}
# A place; not "it in" or "the cubes away".
_PLACED = re.compile(r' (?:in|into|inside|on|onto|to|next to|beside|behind|between|near|left of|'
                     r'right of|under) (?:\w|\()| \d[\d.]* ?(?:cm|mm|m|in|inch\w*) ')


def explained(text: str) -> str:
    """The text with each explanation instead of the vague order before it."""
    text = _OF_MANY.sub(_of_many, _ITS_PLACE.sub(_its_place, _OF_ONE.sub(_of_one, text)))
    return _EXPLAINED.sub(_explanation, _BY.sub(_explanation, text))


def with_commas(text: str) -> str:
    """The text with commas for brackets, where these neither narrow nor widen what is said.

    Others stay: "put the cubes (only the red one) in the bowl" is no list of things.
    """
    text = _NOT_THESE.sub(lambda match: f', {match["inside"].strip()}, ', text)
    return _LAST.sub(_last_bracket, text)


def _last_bracket(match: re.Match[str]) -> str:
    """With "and" it is one more order; without, it may explain the one before it."""
    inside = match['inside'].strip()
    order = re.sub(r'^(?:and then|and|then) ', '', inside)
    said = _REMARK.fullmatch(inside)
    remark = said and not set(said['how'].split()) & (RELATIONS.keys() | _LIMITS)
    return f', {inside}, ' if remark or order != inside and _is_order(order) else match[0]


def _is_order(text: str) -> bool:
    """Whether it is an order to move things to places, without a limit."""
    words = re.findall(r"[\w'-]+", _REST_STAYS.sub('', text))
    if not words or set(words) & _LIMITS or _STANDS.search(text) or '(' in text:
        return False
    verb = verb_form(words[0], VERBS)
    if verb in VERBS:
        return verb in _MOVES and (verb not in PUT_VERBS or _PLACED.search(text) is not None)
    return bool(set(words[1:]) & _INTO) and not set(words) & _EXCEPT  # "the cube in the bowl"


def _body(match: re.Match[str]) -> str | None:
    """What explains, without its brackets; None if they do not hold all of it."""
    body = match['body'].strip(' ,')
    opened = '(' in match[0][:match.start('body') - match.start()]
    if opened != body.endswith(')') or '(' in body or ')' in body[:-1]:
        return None
    return body.removesuffix(')').strip(' ,')


def _of_one(match: re.Match[str]) -> str:
    verb, rest = verb_form(match['verb'], VERBS), _body(match)
    names_place = set(match['thing'].split()) & RELATIONS.keys()
    if rest is None or names_place or not _is_order(f'{verb} it {rest}'):
        return match[0]
    return f'{match["start"]}{verb} {match["thing"]} {rest}'


def _its_place(match: re.Match[str]) -> str:
    place = _body(match)
    bracket = '(' in match[0] and not match['away'] and match['verb'] not in ('put', 'place')
    if place is None or bracket or set(match['thing'].split()) & RELATIONS.keys() or (
            re.search(r':|\s[-\u2013\u2014]+\s', place)) or not _is_order(f'put it {place}'):
        return match[0]
    return f'{match["start"]}{match["verb"]} {match["thing"]} {place}'


def _of_many(match: re.Match[str]) -> str:
    """What follows, if it is about things of that kind and begins with a verb."""
    noun, body = singular(match['noun'])[0], _body(match)
    body = re.sub(r'\bone(s?)\b(?! of)', rf'{noun}\1', body or '')
    first = verb_form(body.split(' ')[0], VERBS)
    order = ' '.join((first, *body.split(' ')[1:]))
    about_them = re.search(rf'\b{noun}s?\b', body) and not set(body.split()) & _EXCEPT
    if first not in VERBS or not about_them or not _is_order(order):
        return match[0]
    return match['start'] + order


def _explanation(match: re.Match[str]) -> str:
    body = _body(match)
    first = body.split(' ')[0] if body else ''
    order = verb_form(first, VERBS) + (body or '')[len(first):]  # "that is, putting ..."
    mark = match[0][match.end('head') - match.start():match.start('body') - match.start()]
    # "tidy up (the cubes in the bowl)" and "that is the cubes in the bowl" may say which ones.
    sure = order.split(' ')[0] in VERBS or _SURE_MARK.search(mark)
    return match['start'] + order if sure and _is_order(order) else match[0]
