"""Other ways to build a command: "give it a turn", "of the two cubes the left one", "use A for B".

They are put in plain order before lists, remarks and wishes are read.
"""

from __future__ import annotations

import re

from replan_agent.domain.kinds import KINDS
from replan_agent.domain.nouns import FRUIT, HAS_OTHER_NAMES, VEGETABLES, singular

from ..words import COLOURS, PICK_VERBS, PUT_VERBS
from .asides import VERB
from .counted_words import rewritten, rules
from .wish_frames import HOLDER, MODAL, NP, PREP

_COUNTS = {word: number for number, word in enumerate('two three four five six'.split(), 2)}
_COUNT = f'(?:{"|".join(_COUNTS)}|[2-6])'
_LENGTH = r'\d+(?:\.\d+)? ?(?:cms?|mm|m|centimet(?:er|re)s?|millimet(?:er|re)s?|inch(?:es)?)'
_SAID = rf'(?:\d|{"|".join(_COUNTS)}|seven|eight|nine|ten|twelve|fifteen|twenty|thirty)'
_UNIT = r'(?:cms?|mm|m|centimet\w+|millimet\w+|inch\w*)\b'
EXACTLY = r'(?:right|exactly|directly|just|smack|bang|slap|precisely|straight|squarely|plumb)'
_START = r'(^|[.;!?]\s*)'
_END = r'(?=$|[.;!?])'
_STOP = r'(?=$|[,.;!?])'
_TO = r'(?:in|into|on|onto|to|inside|over to|next to|beside|behind|between|near)'
_THE_HOLDER = rf'(?:the|a|my|your) (?:\w+ )?{HOLDER}'
_NAMED = r'(?:the|my|this|that|these|those|both|all) (?:(?!and\b|or\b|in\b|on\b)[\w-]+ ?){1,4}?'
_PLACES = r'(?:places?|positions?|spots?|locations?|seats?)'
_BESIDE = r'(?:beside|next to|near|close to|by|behind|in front of|left of|right of|alongside)'
_HOME = r'(?:back )?(?:to )?(?:the |its |your )?home(?: position| pose)?'
_COLOUR = f'(?:{"|".join(sorted(COLOURS))})'
_PICK = f'(?:{"|".join(sorted(PICK_VERBS))})'
_PUT = f'(?:{"|".join(sorted(PUT_VERBS))})'

CONSTRUCTIONS = rules(
    # Who does it
    (rf'\b(?:i|we) (?:want|wish|need|prefer|ask|expect|would (?:like|love|prefer)) that you '
     rf'(?:please )?(?={VERB}\b)', ''),
    (rf'((?:,|,? and|,? then|,? and then) )you (?:please |then |should |must )*'
     rf'(?={VERB} (?:it|them|the|my|both|all|that|this)\b)', r'\1'),
    # Where exactly, how far
    (rf',? (?:so that|such that|so|until) (?:it|they) (?:is|are|sits?|stands?|lies?|rests?|'
     rf'ends? up|lands?|comes? to (?:rest|lie|stand)) (?:sitting |standing |lying |resting )?'
     rf'(?:{EXACTLY} )*(?=(?:in|on|inside|next to|beside|behind|between|in front of|near|at|'
     rf'close to|left of|right of|to the (?:left|right) of|on top of|by) )', ' ', 'until'),
    (rf'\b(?:another|an? (?:further|extra|additional)) (?={_SAID}[\d.]*[ -]?(?:more )?{_UNIT})',
     ''),
    (rf'({_LENGTH}), (?=(?:(?:to|towards) (?:the|your) )?(?:left|right|forward|back|away)'
     rf'(?:wards?)?{_STOP})', r'\1 '),
    (rf'\bout of (?:there|here)(?: and|, and|,)? (?:then )?(?:over |across )?(?=(?:to|into|onto|in'
     rf'|on) )', ''),
    (rf'({_BESIDE} {_NAMED}),? but (?:do not (?:put|place|drop|set) (?:it|them)|not) '
     rf'(?:in|inside|into|on|onto|on top(?: of)?)(?: it| there| that)?{_STOP}', r'\1', 'but not'),
    (rf'{_START}where ({_NAMED}) (?:is|are|stands?|lies?|sits?)(?: standing| lying| sitting)?'
     rf'(?: now| right now| at the moment)?,? (?:that is (?:just |exactly )?where (?:i|we) (?:want|'
     rf'need|would like)|(?:please )?(?:put|place|move|set)|(?:i|we) (?:want|would like)) '
     rf'({_NAMED}){_END}', r'\1put \3 where \2 is'),
    (rf'{_START}where ({_NAMED}) (?:is|are|stands?|lies?|sits?)(?: standing| lying| sitting)?'
     rf'(?: now| right now)?,? (?:that is )?(?:just |exactly )?where ({_NAMED}) (?:goes|belongs|'
     rf'should go|should be|must go){_END}', r'\1put \3 where \2 is'),
    (rf'{_START}({_NAMED}) is new {_PLACES} is (?:at )?(\(?[-\d.]+, ?[-\d.]+\)?)(?:[,.;]? (?:so |'
     rf'please )*(?:put|place|move|bring|set) (?:it|that|the \w+) there)?{_END}',
     r'\1put \2 at \3'),
    # Trading places
    (rf'(?<!you) (?:{MODAL}|to) (?:now )?(swap|switch|exchange|trade|change) (?:their |the )?'
     rf'({_PLACES})(?: with (?:each other|one another))?(?=$|[,.;!?]| with\b)',
     r' should \1 \2'),
    (rf'\b(?:change|trade|exchange|reverse) (?:the )?{_PLACES} of ', 'swap '),
    (rf'\b(?:do|make|perform) (?:a|the) (?:swap|switch|exchange) (?:of|between|with) ', 'swap '),
    (rf'\b(?:put|move|place) ({_NAMED}) (?:to )?where ({_NAMED}) is,? and (?:vice versa|the other '
     rf'way (?:a)?round){_STOP}', r'swap \1 and \2'),
    # What is in it in the end
    (rf'\b({_THE_HOLDER}) {MODAL} (?:end up|finish|finish up|wind up|be left|be) with (?:only|just|'
     rf'nothing but) ({NP}|{_COUNT} [\w ]+?)(?: in it| inside it| inside| in there)?{_END}',
     r'\1 should contain only \2', 'only nothing but'),
    (rf'\b({_THE_HOLDER}) {MODAL} (?:end up|finish|finish up|wind up) with (?!only|just|nothing)'
     rf'({NP}|{_COUNT} [\w ]+?)(?: in it| inside it| inside| in there){_END}',
     r'\1 should contain \2'),
    # Holding
    (rf'\b({_PICK} (?:(?!{_PUT}\b)[^.;!?])*?)(?:,? and|,? but|,) (?:then )?(?:do not let (?:go(?: '
     rf'of it)?|it go)|keep (?:a )?(?:tight |firm |good )?(?:hold|grip) (?:of|on) it|keep holding '
     rf'(?:it|on to it|onto it)|do not put it down(?: again)?|keep it (?:up|in your (?:hand|gripper'
     rf'|fingers)|(?:up )?in the air)){_STOP}', r'\1', 'but not keep again'),
    (r'\b(?:keep|get|take|grab|catch) (?:a )?(?:tight |firm |good )?(?:hold|grip) (?:of|on) '
     r'(?!it\b|them\b)', 'grab ', 'keep'),
    (rf'\b(?:get|lift|raise|take|bring|pick up|hold|hoist|have) ({NP}) (?:up )?(?:in|into) the air'
     rf'(?= for (?:me|us)\b|$|[,.;!?])', r'lift \1'),
    # Light verbs
    (rf'\bgive ({NP}) an? (?:little |gentle |small |slight |light )?(push|nudge|shove|pull)\b',
     r'\2 \1'),
    (rf'\b(?:make|have|let) ({NP}) (?:do|make|perform|take) (?=(?:an? )?(?:quarter|half|full|'
     rf'\d+[- ]?degrees?|clockwise|(?:anti-?|counter-?)clockwise)\b[\w -]*turn\b)', r'give \1 '),
    (rf'\b({_NAMED}) (?:needs|could do with|could use|wants) (?=(?:a )?(?:quarter|half|\d+[- ]?'
     r'degrees?)(?: of a)? turn\b)', r'give \1 '),
    # The arm goes home
    (rf'(^|[.;!?,]\s*|\bthen |\band )(?:(?:the |your )?(?:robot |robot is )?arm[,:]? {_HOME}|(?:off '
     rf'|back )?home (?:with you|you go)|(?:off )?(?:head|drive|travel|swing|retreat|fly|get '
     rf'yourself|off) {_HOME}|park (?:the arm|yourself|your arm))(?=$|[.;!?,]| and\b| then\b)',
     r'\1go home', 'back'),
    # Word order
    (rf'(^|[.;!?,]\s*|\band )((?:in|into|on|onto) {_NAMED}) (it|they|{_NAMED}) (?:goes|go|has to '
     rf'go|have to go|must go|should go){_STOP}', r'\1\3 goes \2'),
    (rf'(^|[.;!?,]\s*|\band )(?:away|off) with ({NP}|it|them),? (?={_TO} )', r'\1put \2 '),
    (rf'(^|[.;!?,]\s*|\band )(?:away|off) (into (?:the|my) [\w ]+?) with ({NP}|it|them){_END}',
     r'\1put \3 \2'),
    (rf'\b((?:in|into) (?:a|one)[\w ]*? (?:row|line)), (?=in (?:that|this) order\b)', r'\1 '),
    (r', ((?:going|running|counting|ordered|starting) )?(?=from (?:the )?(?:left to (?:the )?right|'
     r'right to (?:the )?left)\b)', ' '),
    # Wishes for a tower; any colours
    (r'\b(?:i would (?:love|fancy)|i fancy|give me|(?:can|could|may) (?:i|we) (?:have|get)|we need|'
     r'how about|what about) (?:an?|one) (?:new |nice |big |small |tall |little |high |neat )*'
     r'(tower|stack|pile) (?=of|from|with|made)', r'build a \1 '),
    (rf',? (?:of |in )?(?:any|whatever|whichever) colou?rs?(?: you (?:like|want|choose)| will do| '
     rf'is fine| are fine)?{_END}', '', 'any'),
    (rf'\b(?:two|double|2)[- ](?:storey|story|level|floor|block|layer)(?:ed)? (tower|stack|pile)'
     rf'[,:]? (?:with )?((?:the )?[\w ]+?) (?:as the (?:base|bottom)|at the (?:base|bottom)|below)'
     rf'(?:,|,? and|,? with) ((?:the )?[\w ]+?) (?:on top|at the top|as the top){_END}',
     r'\1 with \2 at the bottom and \3 on top', 'two double 2'),
    (rf'\ban? ({_COUNT})[- ](?:storey|story|level|floor|layer)(?:ed)? (tower|stack|pile) (?:made )?'
     rf'(?:of|from|out of|with) (?:the )?(\w+s)\b', r'a \2 of \1 \3'),
    # Questions that a condition follows
    (rf'{_START}(?:have (?:you|we) got|have (?:you|we)|do (?:you|we) have|(?:can|do) you see) '
     rf'(an?|any|some) ([^,.;!?]+?)(?: there| here| around| anywhere| on the table| in front of you)'
     rf'*\?\s*(?:well |ok |good |great |and )*(?=if (?:so|yes|not|no|you do|you have|there is|it is)'
     rf'\b)', r'\1is there \2 \3? '),
    # What stays
    (rf'(^|[.;,\n]\s*)((?:the |my )?[\w ]+?)\s*[:=]\s*(?:stays?|leave(?: it| them)?|keep(?: it| '
     rf'them)?|hands off|untouched)(?: put| there| here| where it is| alone| as it is)?'
     r'(?=$|[.;,!\n])', r'\1\2 stays', 'leave keep'),
)

_AMONG = re.compile(rf'((?:^|[.;!?,]\s*|\bthen |\band ))(?:out )?of (?:the|these|those|my) '
                    rf'(?:{_COUNT} )?((?:[\w-]+ )?[a-z]+s),? ((?:only |just )?(?:{VERB} (?:up )?)?)'
                    r'(the (?:[\w-]+ )?)one\b')
_OF_BOTH = re.compile(rf'{_START}(?:out )?of ({_NAMED}) and ({_NAMED}),? (?:only|just) ({_NAMED}) '
                      rf'((?:goes|should|must|belongs|has to|needs to)\b[^,.;!?]*){_END}')
_USED = re.compile(rf'\buse ((?:{_THE_HOLDER} for {NP}(?:,? and |, |$|(?=[.;!?])))+)')
_USE = re.compile(rf'({_THE_HOLDER}) for ({NP})(?:,? and |, |$)(?={_THE_HOLDER} for |$)')
_THINGS_FOR = re.compile(rf'{_START}(?:({_COUNT}|one|the following|these|some|several) )?(?:(?:'
                         rf'things?|items?|objects?|pieces?) (?:go(?:es)? )?)?(?:for|into|in) '
                         rf'(the (?:\w+ )?{HOLDER})\s*:\s*([^.;:!?]+)')
_ON_COLOURS = re.compile(rf'(^|[.;!?]\s*)(?:(?:i|we) (?:want|would like|need) |(?:stack|put|place'
                         rf'|set) )?(?:the )?({_COLOUR}(?: on(?: top of)?(?: the)? {_COLOUR})+)'
                         rf'{_END}')
_NOUNS = (KINDS.keys() | FRUIT | VEGETABLES | HAS_OTHER_NAMES) - {
    'one', 'thing', 'object', 'item', 'stuff', 'table', 'tabletop', 'desk', 'round', 'square',
    'flat', 'fruit', 'food', 'vegetable', 'cutlery', 'crockery', 'tool'} - COLOURS
_NAME = rf'(?:the )?(?:{_COLOUR} )?(?:{"|".join(sorted(_NOUNS))})'
# "lemon lime tomato all of them in the bowl": by voice, without commas
_VOICED = re.compile(rf'{_START}(?:({_PUT}) )?({_NAME}(?: {_NAME})+) (?:and )?(both|all {_COUNT}|'
                     rf'all)(?: of (?:them|those|these))? (?:go |goes )?(?={_TO} )')
_AND = re.compile(r'(?<=[a-z)]) ?[+&] ?(?=[a-z])')
_LISTED = re.compile(r',? and |, ')


def in_plain_order(text: str) -> str:
    """The text with each of these constructions as a plain command."""
    text = _AND.sub(' and ', text)
    for pattern, words, may_lose in CONSTRUCTIONS:
        text = rewritten(pattern, words, text, may_lose)
    text = rewritten(_AMONG, _one_of_them, text, ' '.join(_COUNTS))
    text = rewritten(_OF_BOTH, _only_one, text, 'only')
    text = rewritten(_USED, _used_for, text)
    text = rewritten(_THINGS_FOR, _put_in, text, ' '.join(_COUNTS))
    text = rewritten(_ON_COLOURS, _stacked, text)
    return rewritten(_VOICED, _with_commas, text, f'all both {" ".join(_COUNTS)}')


def _one_of_them(match: re.Match[str]) -> str:
    """ "of the two cubes, the left one" is "the left cube"."""
    start, things, verb, which = match.groups()
    *first, last = things.split()
    return ' '.join(filter(None, (f'{start}{verb}{which}'.rstrip(), *first, singular(last)[0])))


def _only_one(match: re.Match[str]) -> str:
    """ "of A and B, only B goes there" is "leave A. B goes there"."""
    start, first, second, chosen, where = match.groups()
    if chosen not in (first, second):
        return match[0]
    other = second if chosen == first else first
    return f'{start}leave {other}. {chosen} {where}'


def _used_for(match: re.Match[str]) -> str:
    """ "the bin for the cubes and the bowl for the bar"."""
    pairs = list(_USE.finditer(match[1]))
    if ''.join(p[0] for p in pairs) != match[1]:
        return match[0]
    return '. '.join(f'put {things} in {holder}' for holder, things in (p.groups() for p in pairs))


def _put_in(match: re.Match[str]) -> str:
    """ "two things for the bin: A and B". Not if it names more or fewer of them."""
    start, count, holder, things = match.groups()
    number = _COUNTS.get(count or '', int(count) if (count or '').isdigit() else None)
    if number not in (None, len(_LISTED.split(things.strip()))):
        return match[0]
    return f'{start}put {things.strip()} in {holder}'


def _stacked(match: re.Match[str]) -> str:
    chain = [f'the {colour} one' for colour in re.findall(_COLOUR, match[2])]
    return f'{match[1]}stack {" on ".join(chain)}'


def _with_commas(match: re.Match[str]) -> str:
    start, verb, names, every = match.groups()
    things = re.findall(_NAME, names)
    count = every.split()[-1]
    wanted = _COUNTS.get(count, 2 if count == 'both' else len(things))
    if wanted != len(things) or len(set(things)) < len(things):
        return match[0]
    return f'{start}{verb or "put"} {", ".join(things[:-1])} and {things[-1]} '
