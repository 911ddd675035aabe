"""Other ways to build a command: "give it a turn", "of the two cubes the left one", "use A for B".

They are put in plain order before lists, remarks and wishes are read.
"""

from __future__ import annotations

import re

from ..words import COLOURS, PICK_VERBS, PUT_VERBS
from .asides import VERB
from .counted_words import rewritten, rules
from .wish_frames import HOLDER, MODAL, NP

COUNTS = {word: number for number, word in enumerate('two three four five six'.split(), 2)}
COUNT = f'(?:{"|".join(COUNTS)}|[2-6])'
_LENGTH = r'\d+(?:\.\d+)? ?(?:cms?|mm|m|centimet(?:er|re)s?|millimet(?:er|re)s?|inch(?:es)?)'
_SAID = rf'(?:\d|{"|".join(COUNTS)}|seven|eight|nine|ten|twelve|fifteen|twenty|thirty)'
_UNIT = r'(?:cms?|mm|m|centimet\w+|millimet\w+|inch\w*)\b'
EXACTLY = r'(?:right|exactly|directly|just|smack|bang|slap|precisely|straight|squarely|plumb)'
START = r'(^|[.;!?]\s*)'
END = r'(?=$|[.;!?])'
STOP = r'(?=$|[,.;!?])'
TO = r'(?:in|into|on|onto|to|inside|over to|next to|beside|behind|between|near)'
THE_HOLDER = rf'(?:the|a|my|your) (?:\w+ )?{HOLDER}'
NAMED = r'(?:the|my|this|that|these|those|both|all)(?: (?!and\b|or\b|in\b|on\b)[\w-]+){1,4}?'
_PLACES = r'(?:places?|positions?|spots?|locations?|seats?)'
_BESIDE = r'(?:beside|next to|near|close to|by|behind|in front of|left of|right of|alongside)'
_HOME = r'(?:back )?(?:to )?(?:the |its |your )?home(?: position| pose)?'
COLOUR = f'(?:{"|".join(sorted(COLOURS))})'
_PICK = f'(?:{"|".join(sorted(PICK_VERBS))})'
PUT_VERB = f'(?:{"|".join(sorted(PUT_VERBS))})'
# "but not the can, that goes in the bowl"
_EXCEPT = r'(?:but not|not|except(?: for)?|apart from|but)'
_EXCEPT_WORDS = 'but not except apart'
_LEFT_ONE = r'the (?!rest\b|others?\b)(?:(?!and\b)[\w-]+ ){0,2}[\w-]+(?<!s)'
_LEFT_ONES = r'the (?!rest\b|others?\b)(?:(?!and\b)[\w-]+ ){0,2}[\w-]+s'
_THAT = '(?:that|that one|it|this one|this)'
_THOSE = '(?:they|those|these)'
_GOES = '(?:goes|go|should go|belongs?|must go)'

CONSTRUCTIONS = rules(
    # When
    (r'((?:,|,? and|,? then|,? and then) )at (?:long )?last,? (?=(?:the|my|both|all)\b)',
     r'\1finally '),
    (rf'\b({NAMED}) (?:comes?|(?:is|are) coming) (?=(?:in|into|on|onto|inside) '
     rf'{THE_HOLDER}(?: (?:first|next|last|too))?(?=$|[,.;!]| and\b))', r'\1 goes '),
    # Who does it
    (rf'\b(?:i|we) (?:want|wish|need|prefer|ask|expect|would (?:like|love|prefer)) that you '
     rf'(?:please )?(?={VERB}\b)', ''),
    (rf'((?:,|,? and|,? then|,? and then) )you (?:please |then |should |must )*(?={VERB} (?:it|'
     rf'them|the|my|both|all|that|this)\b)', r'\1'),
    (r'(^|[.;!?,]\s*|\band |\bthen )(?:now )?go (?=(?:fetch|get|grab|pick|take|put|bring)\b)',
     r'\1'),
    (r'(^|[.;!?,]\s*|\band |\bthen )(?:start|begin|finish|end)(?: off| up)? by (?=\w+ing\b)',
     r'\1'),
    (rf',? (?:and )?(?:then )?(?:do the same (?:for|with|to)|likewise|similarly) ({NAMED}){STOP}',
     r', \1 too'),
    # Where exactly, how far
    (rf'\b(?:to|on) the (left|right)(?: side)? and ((?:the )?[\w ]+?) (?:to|on) the (?!\1)(left|'
     rf'right)(?: side)? of ({NAMED}){STOP}', r'to the \1 of \4 and \2 to the \3 of \4'),
    (r'\bthe (table|desk) is ((?:(?:far|near|left|right|front|back)(?:[- ]hand)? )*(?:edge|side|'
     r'corner|middle|centre|center|end))\b', r'the \2 of the \1'),
    (r'((?:clockwise|to the (?:left|right))), (?=(?:by )?\d+ ?(?:degrees?|deg|\u00b0))', r'\1 '),
    (rf',? (?:so that|such that|so|until) (?:it|they) (?:is|are|sits?|stands?|lies?|rests?|ends? '
     rf'up|lands?|comes? to (?:rest|lie|stand)) (?:sitting |standing |lying |resting '
     rf')?(?:{EXACTLY} )*(?=(?:in|on|inside|next to|beside|behind|between|in front of|near|at|'
     rf'close to|left of|right of|to the (?:left|right) of|on top of|by) )', ' ', 'until'),
    (rf'\b(?:another|an? (?:further|extra|additional)) (?={_SAID}[\d.]*[ -]?(?:more )?{_UNIT})',
     ''),
    (rf'\b({_SAID}[\d.]*) more (?={_UNIT})', r'\1 '),
    (r'\b(?:in the |at the )?(?:dead|exact|very) (?:centre|center|middle) (?:of|on|in) (?=the '
     r'(?:table|desk)\b)', 'in the middle of '),
    (r'\b(?:(?:exactly|right|just) )?(?:on|in|at|to|onto|into) the (?:exact |same |very )?(?:spot|'
     r'place|position) where (?=the|my)', 'where '),
    (rf'({_LENGTH}), (?=(?:(?:to|towards) (?:the|your) )?(?:left|right|forward|back|'
     rf'away)(?:wards?)?{STOP})', r'\1 '),
    (rf'\b(get|take|move|bring) ({NAMED}) off (?:of )?the (?:table|desk)(?: and|, and|,) (?:then '
     rf')?(?:over )?(?=(?:into|onto|in|to) )', r'\1 \2 '),
    (rf'\b(get|take|move|bring|fetch|pull) ({NAMED}) out of (?:there|here)(?: and|, and|,)? '
     rf'(?:then )?(?:over |across )?(?=(?:to|into|onto|in|on) )', r'\1 \2 '),
    (rf'({_BESIDE} {NAMED})(?:,? but (?:do not (?:put|place|drop|set) (?:it|them)|not)|,? without '
     rf'(?:putting|placing|dropping|setting) (?:it|them)) (?:in|inside|into|on|onto|on top(?: '
     rf'of)?)(?: it| there| that)?{STOP}',
     r'\1', 'but not without'),
    (rf'{START}where ({NAMED}) (?:is|are|stands?|lies?|sits?)(?: standing| lying| sitting)?(?: '
     rf'now| right now| at the moment)?,? (?:that is (?:just |exactly )?where (?:i|we) (?:want|'
     rf'need|would like)|(?:please )?(?:put|place|move|set)|(?:i|we) (?:want|would like)) '
     rf'({NAMED}){END}', r'\1put \3 where \2 is'),
    (rf'{START}where ({NAMED}) (?:is|are|stands?|lies?|sits?)(?: standing| lying| sitting)?(?: '
     rf'now| right now)?,? (?:that is )?(?:just |exactly )?where ({NAMED}) (?:goes|belongs|should '
     rf'go|should be|must go){END}', r'\1put \3 where \2 is'),
    (rf'{START}the new {_PLACES} (?:of|for) ({NAMED}) is (?:at )?(\(?[-\d.]+, ?[-\d.]+\)?){END}',
     r'\1put \2 at \3'),
    (rf'\b(?:replace|substitute) ({NAMED}) (?:with|by) ({NAMED})(?=$|[,.;!?]| and\b)',
     r'put \2 where \1 is'),
    (rf'{START}({NAMED}) is new {_PLACES} is (?:at )?(\(?[-\d.]+, ?[-\d.]+\)?)(?:[,.;]? (?:so |'
     rf'please )*(?:put|place|move|bring|set) (?:it|that|the \w+) there)?{END}',
     r'\1put \2 at \3'),
    # Trading places
    (rf'(?<!you) (?:{MODAL}|to) (?:now )?(swap|switch|exchange|trade|change) (?:their |the '
     rf')?({_PLACES})(?: with (?:each other|one another))?(?=$|[,.;!?]| with\b)',
     r' should \1 \2'),
    (rf'\b(?:change|trade|exchange|reverse) (?:the )?{_PLACES} of ', 'swap '),
    (r'\b(?:do|make|perform) (?:a|the) (?:swap|switch|exchange) (?:of|between|with) ', 'swap '),
    (rf'\b(?:(?:put|move|place) )?({NAMED}) (?:(?:{MODAL}|wants to|want to) (?:be|go|stand) |goes '
     rf')?(?:to )?where ({NAMED}) is,? and (?:vice versa|the other way (?:a)?round){STOP}',
     r'swap \1 and \2'),
    (rf'(?:(?:i|we) (?:want|would (?:like|love|be (?:happy|glad))) to see )?({NAMED}(?: and '
     rf'{NAMED})?) (?:swapping|switching|exchanging|trading|changing) (?:their )?({_PLACES}){END}',
     r'\1 should swap \2'),
    # What is in it in the end
    (rf'\b({THE_HOLDER}) {MODAL} (?:end up|finish|finish up|wind up|be left|be) with (?:only|just|'
     rf'nothing but) ({NP}|{COUNT} [\w ]+?)(?: in it| inside it| inside| in there)?{END}',
     r'\1 should contain only \2', 'only nothing but'),
    (rf'\b({THE_HOLDER}) {MODAL} (?:end up|finish|finish up|wind up) with (?!only|just|'
     rf'nothing)({NP}|{COUNT} [\w ]+?)(?: in it| inside it| inside| in there){END}',
     r'\1 should contain \2'),
    (rf'\b({THE_HOLDER}) (?:{MODAL}|to) (?:end up|finish up|wind up) (?:holding|containing) '
     rf'(?!only|just|nothing)({NP}){END}', r'\1 should contain \2'),
    (rf'{START}(each|every) ({HOLDER}) (?:gets|receives|should get) (one|an?) ([\w ]+?){END}',
     r'\1put \4 \5 on \2 \3'),
    (rf'{START}all (?:i|we) (?:want|need) (in|inside) ({NAMED}) is ({NAMED}(?: and {NAMED})*)'
     rf'{END}', r'\1only \4 should be \2 \3', 'all'),
    # Holding
    (rf'\b({_PICK} (?:(?!{PUT_VERB}\b)[^.;!?])*?)(?:,? and|,? but|,) (?:then )?(?:do not let '
     rf'(?:go(?: of it)?|it go)|keep (?:a )?(?:tight |firm |good )?(?:hold|grip) (?:of|on) it|'
     rf'keep holding (?:it|on to it|onto it)|stay (?:like that|there)|keep it (?:up|in your '
     rf'(?:hand|gripper|fingers)|(?:up )?in the air)){STOP}', r'\1', 'but not keep again'),
    (r'\b(?:keep|get|take|grab|catch) (?:a )?(?:tight |firm |good )?(?:hold|grip) (?:of|on) '
     r'(?!it\b|them\b)', 'grab ', 'keep'),
    (rf'\b(?:get|lift|raise|take|bring|pick up|hold|hoist|have) ({NP}) (?:up )?(?:in|into) the '
     rf'air(?= for (?:me|us)\b|$|[,.;!?])', r'lift \1'),
    # Light verbs
    (rf'\bgive ({NP}) an? (?:little |gentle |small |slight |light )?(push|nudge|shove|pull)\b',
     r'\2 \1'),
    (rf'\b(?:make|have|let) ({NP}) (?:do|make|perform|take) (?=(?:an? )?(?:quarter|half|full|'
     rf'\d+[- ]?degrees?|clockwise|(?:anti-?|counter-?)clockwise)\b[\w -]*turn\b)', r'give \1 '),
    (rf'\b({NAMED}) (?:needs|could do with|could use|wants) (?=(?:a )?(?:quarter|half|\d+[- '
     rf']?degrees?)(?: of a)? turn\b)', r'give \1 '),
    (rf'(^|[.;!?,]\s*|\band )(?:(?:do|make|perform) )?(an? (?:quarter|half|\d+[- ]?degrees?)(?: '
     rf'of a)? turn(?: clockwise| anti-?clockwise| counter-?clockwise| to the left| to the '
     rf'right)?) (?:with|of|for|on) ({NAMED}){END}', r'\1give \3 \2'),
    (r'\b((?:turn|rotate|spin|twist)\b[^.;!?]*? (?:by|through) a quarter)(?=$|[,.;!?])',
     r'\1 turn'),
    # The arm goes home
    (rf'(^|[.;!?,]\s*|\bthen |\band )(?:(?:the |your )?(?:robot |robot is )?arm[,:]? {_HOME}|'
     rf'(?:off |back )?home (?:with you|you go)|(?:off )?(?:head|drive|travel|swing|retreat|fly|'
     rf'get yourself|off) {_HOME}|(?:come|get) (?:straight |right )?(?:back )?{_HOME}|(?:straight '
     rf')?back to (?:the|your) home (?:position|pose)|park (?:the arm|yourself|your arm))(?=$|'
     rf'[.;!?,]| and\b| then\b)', r'\1go home', 'back'),
    (rf'{START}((?:(?!\b(?:move|take|bring|carry|slide|push|pull|send|shift|roll)\b)[^.;!?])*?(?:'
     rf',|\bthen|\band) )back home{END}', r'\1\2go home', 'back'),
    # Word order
    (rf'(^|[.;!?,]\s*|\band )((?:in|into|on|onto) {NAMED}) (it|they|{NAMED}) (?:goes|go|has to go|'
     rf'have to go|must go|should go){STOP}', r'\1\3 goes \2'),
    (rf'(^|[.;!?,]\s*|\band )(?:away|off) with ({NP}|it|them),? (?={TO} )', r'\1put \2 '),
    (rf'(^|[.;!?,]\s*|\band )(?:away|off) ((?:to|in|into|onto) (?:the|my) [\w ]+?) with ({NP}|it|'
     rf'them){END}',
     r'\1put \3 \2'),
    (rf'{START}({NAMED})(?<!s), (?:i|we) (want|need|would like) (?:it|that one|that|this one) '
     rf'(?:to (?:be|go) )?(?={TO} )', r'\1i \3 \2 '),
    (rf'{START}({NAMED}s|{NAMED} and {NAMED}), (?:i|we) (want|need|would like) (?:them|those|'
     rf'these) (?:to (?:be|go) )?(?={TO} )', r'\1i \3 \2 '),
    (rf'{START}((?:the |my )?\w+(?: \w+)?) ({_LENGTH} (?:(?:to|towards) (?:the|your) )?(?:left|'
     rf'right|forwards?|backwards?)), (?:please )?(move|push|slide|shift) it{END}', r'\1\4 \2 \3'),
    (r'\b((?:in|into) (?:a|one)[\w ]*? (?:row|line)), (?=in (?:that|this) order\b)', r'\1 '),
    (r', ((?:going|running|counting|ordered|starting) )?(?=(?:from (?:the )?)?(?:left to (?:the '
     r')?right|right to (?:the )?left)\b)', ' '),
    (rf'{START}((?:anything|everything|whatever|all|the|my|both) [^,.;:!?]*?), (?:please |just '
     rf')*({PUT_VERB}) (?=(?:in|into|on|onto|to) )', r'\1\3 \2 '),
    (rf'{START}({NAMED}),? and then ({NAMED}) (?=(?:in|into|on|onto) )', r'\1\2 and \3 '),
    (r'(^first[^.;!?]*?), (?:and )?(?:secondly|second),? (?=(?:the|my|put|place|move|take)\b)',
     r'\1. '),
    (r' (?:like this|as follows|like so)(?=,? from\b|,? in\b|\s*:)', ''),
    (rf'\b({VERB}(?: up)?) them ([^.;:!?]*?)\s*:\s*([^.;:!?]+){END}', r'\1 \3 \2'),
    (r', (?=(?:side by side|next to each other|next to one another|in an? (?:row|line))\b)', ' '),
    (rf'{START}(?:an? )?(tower|stack|pile)\s*: ', r'\1build a \2: '),
    (rf'{START}what is ({COLOUR}) (?=(?:goes|should|must|belongs)\b)(?![^.;!]*\?)',
     r'\1everything \2 '),
    (rf'({COLOUR} (?:goes|should|must|belongs)[^.;!?]*), (?:and )?what is ({COLOUR}) (?=(?:goes|'
     rf'in|into|to)\b)(?![^.;!]*\?)', r'\1, everything \2 '),
    (rf'(^|[.!]\s*)({NAMED})\? (?:into |to )?(?:the )?({HOLDER})(?=[.!]|$)', r'\1\2: \3'),
    # Wishes for a tower; any colours
    (r'\b(?:i would (?:love|fancy)|i fancy|give me|(?:can|could|may) (?:i|we) (?:have|get)|we '
     r'need|how about|what about) (?:an?|one) (?:new |nice |big |small |tall |little |high |neat '
     r')*(tower|stack|pile) (?=of|from|with|made)', r'build a \1 '),
    (rf',? (?:of |in )?(?:any|whatever|whichever) colou?rs?(?: you (?:like|want|choose)| will do| '
     rf'is fine| are fine)?{END}', '', 'any *'),
    (rf'\b(?:two|double|2)[- ](?:storey|story|level|floor|block|layer)(?:ed)? (tower|stack|'
     rf'pile)[,:]? (?:with )?((?:the )?[\w ]+?) (?:as the (?:base|bottom)|at the (?:base|bottom)|'
     rf'below)(?:,|,? and|,? with) ((?:the )?[\w ]+?) (?:on top|at the top|as the top){END}',
     r'\1 with \2 at the bottom and \3 on top', 'two double 2 *'),
    (rf'(\b(?:tower|stack|pile)\b[^.;!?]* on (?:the )?(?:very )?top),? and (the [\w ]+?) (?:below|'
     rf'underneath|beneath){END}', r'\1 and \2 at the bottom'),
    (rf'\ban? ({COUNT})[- ](?:storey|story|level|floor|layer)(?:ed)? (tower|stack|pile) (?:made '
     rf')?(?:of|from|out of|with) (?:the )?(\w+s)\b', r'a \2 of \1 \3', '*'),
    # Questions that a condition follows
    (rf'{START}(?:have (?:you|we) got|have (?:you|we)|do (?:you|we) have|(?:can|do) you see) (an?|'
     rf'any|some) ([^,.;!?]+?)(?: there| here| around| anywhere| on the table| in front of '
     rf'you)*\?\s*(?:well |ok |good |great |and )*(?=if (?:so|yes|not|no|you do|you have|there is|'
     rf'it is)\b)', r'\1is there \2 \3? '),
    (r'\bif (?:you|we) have got (an?|any|some) ([^,.;!?]+?)(?: there| here)?, ',
     r'if there is \1 \2, '),
    (rf'{START}is there (an?|any) ([^,.;!?]+?)\?\s*(?:please )?({VERB} (?:it|them)\b[^.;!?]*?) '
     rf'then{END}',
     r'\1if there is \2 \3, \4'),
    (rf'{START}should ({NAMED}) be (empty|(?:in|on|inside|next to) {NAMED}), (?=(?:please '
     rf')?{VERB} )',
     r'\1if \2 is \3, '),
    (rf'\b(if there (?:is|are) [^,.;!?]*?,? (?:then )?(?:please )?{PUT_VERB} (?:it|them) (?:in|'
     rf'into|on|onto) )({THE_HOLDER})([,.;] (?:otherwise|if not|or else|else),? (?:please |then )*'
     rf'{PUT_VERB} {NAMED}) (in|into|on|onto) (?:it|there){END}', r'\1\2\3 \4 \2'),
    (rf'\b((?:if|unless) there (?:is|are) [^,.;!?]+?) (?:around here|here|around|'
     rf'anywhere)(?=,| (?:then |please )?{VERB} )', r'\1'),
    # Next to each other
    (rf'\b(?:bring|put|move|place|push) ({NAMED}(?: and {NAMED})?) (?:closer? )?together '
     rf'(?=next to (?:each other|one another)|side by side)', r'put \1 '),
    # What stays
    (rf'\b(would [^.;!?]* if [^.;!?]*) and ({NAMED}) (?:stayed|remained|was left|were left) '
     rf'(?:put|alone|there|where (?:it|they) (?:is|are|was|were)){END}', r'\1 and \2 stays'),
    (rf'{START}({PUT_VERB}) ({NAMED}), (?:and )?not ({NAMED}), and (?:also )?({NAMED}) '
     rf'(?=(?:in|into|on|onto) )', r'\1leave \4. \2 \3 and \5 ', 'not'),
    (rf'(\b(?:everything|all)\b[^.;!?]*?),? {_EXCEPT} ({_LEFT_ONE})[,;] {_THAT} (?={_GOES} )',
     r'\1 except \2. \2 ', _EXCEPT_WORDS),
    (rf'(\b(?:everything|all)\b[^.;!?]*?),? {_EXCEPT} ({_LEFT_ONES})[,;] {_THOSE} (?={_GOES} )',
     r'\1 except \2. \2 ', _EXCEPT_WORDS),
    (rf'\b({PUT_VERB} {NAMED} (?:in|into|on|onto) {THE_HOLDER}),? (?:but |and )?not ({_LEFT_ONE})'
     rf'[,;] {_THAT} (?={_GOES} )', r'\1. \2 ', 'but not'),
    (r'(^|[.;,\n]\s*)((?:the |my )?[\w ]+?)\s*[:=]\s*(?:stays?|leave(?: it| them)?|keep(?: it| '
     r'them)?|hands off|untouched)(?: put| there| here| where it is| alone| as it is)?(?=$|'
     r'[.;,!\n])', r'\1\2 stays', 'leave keep'),
)

_AND = re.compile(r'(?<=[a-z)]) ?[+&] ?(?=[a-z])')


def in_plain_order(text: str) -> str:
    """The text with each of these constructions as a plain command."""
    text = _AND.sub(' and ', text)
    for pattern, words, may_lose in CONSTRUCTIONS:
        text = rewritten(pattern, words, text, may_lose)
    return text
