"""Other forms of a command, and the plain one: "not the red one but the blue one goes there"."""

from __future__ import annotations

import re

from ..words import COLOURS, PARTICIPLES
from .asides import PEOPLE, VERB
from .counted_words import rewritten, rules
from .lists import are_as_many
from .wish_frames import GLAD, HOLDER, HOLDER_S, MODAL, NO_HOLDER, NP, PREP, PUT, WISHES

_COUNT = r'(?:one|two|three|four|five|six|\d+)'
FRAMES = rules(
    (rf'\b(?:get|move|take) ({NP}) out of (?:the|my) way by putting (?:it|them) ', r'put \1 ',
     'move'),
    (r'(\d ?\w+) (?:to the )?(left|right) (?:of|from) where (?:it|they) (?:is|are)(?: now)?\b',
     r'\1 to the \2'),
    (r'(^|[.;!?]\s*)(?:do not forget to|remember to|be sure to|do not hesitate to) ', r'\1',
     'not'),
    (rf'^(?:i have )?(?:no idea|i do not know|not sure) (?:where|what to do with) ({NP})'
     rf'(?: should go| goes| belongs| go)?[,.;] (?:just |so |please )*({PUT}) (?:it|them) ',
     r'\2 \1 '),
    (r'\b(should|must|have to|need to) (?:all|both) (?=be|go)', r'\1 ', 'all both'),
    (r', (?:and )?(?=the [\w ]+? (?:should|must) (?:hold|contain|have) )', '. '),
    (r'\b(except(?: for)?|apart from|but) (the [\w ]+?), which (?:goes|should go|belongs) ',
     r'\1 \2. that one goes ', 'which'),
    (r'\btake (the [\w ]*?(?:tower|stack|pile)) down\b', r'take \1 apart'),
    (r'\btake down (the [\w ]*?(?:tower|stack|pile))\b', r'take \1 apart'),
    (r'(\b(?:stack|tower|pile)\b[^.;!?]*?)(?:,| with|, with) (?:the )?(?:(?:biggest|largest|'
     r'widest)'
     r'(?: ones?| cubes?)? (?:at|on) the bottom|smallest(?: ones?| cubes?)? (?:on|at the) top)'
     r'(?=$|[.;!?])', r'\1'),  # the widest is at the bottom anyway
    (r'^(?:would|is|was|could) (?:it|that|there) (?:be )?(?:ok|okay|possible|alright|fine|all '
     r'right|any way|'
     r'a way|a chance|any chance|too much to ask)(?: for you| with you)? (?:to|if you(?: could| '
     r'would)?|'
     r'that you(?: could)?|for you to|you could|of you) ', '', 'if any'),
    (rf'^(?:i would (?:love|like|appreciate|prefer) it|(?:it|i) would be {GLAD}) if you '
     r'(?:could |would |can )?', '', 'if'),
    (rf'\bsomewhere (?={PREP} )', ''),
    # who wants to use a thing wants it where it is
    (rf'(^|[.;!?]\s*){PEOPLE} wants? to (?:play|work|cook|bake|draw|write|paint) with ({NP})'
     rf'(?:,|[,.;!]* so)\s+(?=(?:please )?{VERB} (?!it\b|them\b))', r'\1leave \2. '),
    (rf',? (?:and )?(?:the )?same (?:for|with|goes for) ({NP})(?=$|[,.;!])', r', \1 too'),
    (r'\bthe ([\w ]+?) is contents?\b', r'the contents of the \1'),
    (rf',? and (if [^,.;!?]+, (?:then )?{VERB}\b)', r'. \1'),
    (r'\bfrom the (\w+) (\w+) (to|into|onto|in) the (\w+) one\b', r'from the \1 \2 \3 the \4 \2'),
    (rf'\b((?:in|into|on|onto) the (?:\w+ )?{HOLDER_S}) (?:where|in which|on which) ({NP}) '
     rf'(?:is|are|lies?|sits?|stands?)(?=$|[,.;!])', r'\1 with \2'),
    (r'\b(?:to|on|at) the ([\w ]+?) is (left|right)(?: side)?(?=$|'
     r'[,.;!?])', r'to the \2 of the \1'),
    (rf'(^|[.;!?]\s*)not ({NP}) but ({NP}) ((?:goes|should|belongs|must)\b[^,.;!?]*)',
     r'\1\3 \4 instead of \2', 'not but'),
    (r'\b(?:over|across) (?=(?:to|on) the (?:left|right)\b)', ''),
    (r' aside (?=(?:on|in|next|onto|into) )', ' '),
    (rf'\b(?:i want|i need|i would like|we need) an empty ((?:\w+ )?{HOLDER_S})(?=$|'
     rf'[,.;!?])', r'empty the \1'),
    (r'(\b(?:all|every|everything)\b[^.;!?]*), (?:also|including|even)(?: also| even)? (?:those|'
     r'the ones?|that one|what is) (?:in|on|under|near|behind|next to) the [\w]+(?=$|[.;!?])',
     r'\1', '*'),
    (rf'\b({PUT} (?![^,.;!?]* (?:and|then) {PUT} ){NP}) ((?:in|into|on|onto) (?:the|a|my) [\w ]+?)'
     rf',? (?:as well as|together '
     rf'with|along with|plus|and also) '
     rf'({NP})(?=$|[.!])', r'\1 and \3 \2'),
    (r'\bthe (?:thing|object|one) (?:that|which) (?:looks like|resembles|is like) (?:an?|the)'
     r' ', 'the '),
    (r'\b(is|are) still\b', r'\1'),
    (r'\ban? (\w+) of (its|their) own\b', r'\2 own \1'),
    (r'\b(?:back|over|up|down|across|along) (?=towards?\b)', '', 'back'),
    (r'\b(?:take|get|grab|pick up) (?:both|the two|two|the)( \w+)s(?:,| and|,? then) put one '
     r'(?=in|on|to)',
     r'put one\1 ', 'both two'),
    (r'\bdo not (?:put|place|move|drop|set|throw|stick) ([^,.;!?]+?) ((?:in|into|on|onto|to|next '
     r'to) (?:(?! (?:and|or|nor|not|unless|until|if|before|after|'
     r'because)\b)[^,.;!?])+?)'
     r'(?:[,.;!](?: but| instead| rather)*|(?: but| instead| rather)+) '
     r'(put|place|move|drop|set|throw|stick) (?:it|them|that) ([^,.;!?]+)',
     r'\3 \1 \4 instead of \2', 'not but instead rather'),
    (r'\bdo not (put|place|move|drop|set|throw|stick) ([^,.;!?]+?) ((?:in|into|on|onto|next to) '
     r'(?:(?! (?:and|or|nor|not|unless|until|if)\b)[^,.;!?])+?),? but (?:rather |instead )?'
     r'((?:in|into|on|onto|next to) [^,.;!?]+)', r'\1 \2 \4 instead of \3',
     'not but rather instead'),
    (rf'\b({NP}) (?:should|must|may) not (?:have|contain|hold) anything(?: (?:left )?(?:in it|'
     rf'inside))?',
     r'\1 should be empty', 'not'),
    (r'\b(?:wants|could do with|could use) (?=(?!nothing|everything|anything|something)'
     r'\w+ing\b)', 'needs '),
    (rf'\b(?:remove|take|lift|grab|pick up|get|fetch) ({NP}) (?:off|from|off of) (?:the '
     rf')?(?:table|desk)(?:,? and|,)'
     rf'(?: then)? ({PUT}) (?:it|them) ', r'\2 \1 '),
    (rf'(^|[.;!?]\s*|\band |, )((?:in|into|on|onto|inside) the [\w ]+?),? (?:i|we) (?:want|'
     rf'would like|need) '
     rf'({NP})(?=$| and\b|[,.;!])', r'\1\3 goes \2'),
    (rf'\b((?:leave|keep) {NP})(?:,| and) ((?:everything|all the|the|all) (?:else|rest|others?)'
     rf'\b)', r'\1. \2'),
    (rf'\b({PUT}) (the (?:(?! (?:in|into|on|onto|to|next) )[\w -])+?),? (?:and )?then (the [\w '
     rf'-]+? '
     r'(?:in|into|on|onto|to) )', r'\1 \2 and \3'),
    (r'\b(?:i want|i would like|i need|let us have|let us build|let us make|do|make|build|'
     r'create) (?:me |us )?(?:an?|one|the) '
     r'(?:new |nice |big |small |tall |little |high |straight |neat )*(tower|stack|pile|row|'
     r'line)\b(?! is| on| in| to)',
     r'build a \1'),
    (r'\b(?:put|place|arrange|set|line up|bring|lay) ([^,.;!?]+?) in(?:to)? (?:the )?(?:right |'
     r'correct )?order(?: of| by)'
     r'(?: their| the)? (size|height|colou?r)\b', r'sort \1 by \2'),
    (r'\b(?:distribute|spread|divide|share|put|split)(?: out)? (?:all )?(?:the )?(?:three |four '
     r'|two )?(\w+?)s?(?: out)?(?: evenly)? '
     r'(?:over|across|among|amongst|between|onto|on|to|in|into) (?:all )?(?:the )?(?:three |'
     rf'four |two )?({HOLDER})e?s,? '
     r'(?:one (?:on|in|per|for|to) (?:each|every)(?: \w+)?|so(?: that)? no \w+ has two|so(?: '
     r'that)? each(?: \w+)? (?:has|gets) one|'
     r'one each|evenly)\b', r'put each \1 on a different \2', 'no two three four all each every'),
    (r'\b(?:put|place|set) ([^,.;!?]+?) on (?:top of )?(?:each other|one another)(?=,| '
     r'with)', r'stack \1', 'each'),
    (r', (?:and )?(?:with )?(?:the )?(\w+)(?: one| cube)? (?:below|underneath|as the base|at '
     r'the base|being at the bottom)\b',
     r', with the \1 one at the bottom'),
    (r'\b(?:take|get|grab|catch)(?: a)? hold of ', 'grab '),
    (r',? (?:but |and )?only if\b', ' if', 'but only'),
    (r'\b(?:immediate|direct) (?=(?:left|right)\b)', ''),
    (rf' {MODAL} (?:(?:come|get|go|be taken|be moved|be) out of|leave) ({NP}) and (?:then '
     rf')?(?:go |be put |be placed |move |land |be )?'
     r'(?=(?:in|into|on|onto|to|next to) )', r' from \1 goes ', 'leave'),
    (rf'\b(?:make sure|ensure|see to it|check|see)(?: that)? ({NP}) (?:lies|stands|sits|rests|'
     rf'gets|lands|lie|stand|sit) '
     rf'(?={PREP} )', r'\1 goes '),
    (rf'\b(goes|go) ({"|".join(sorted(COLOURS))})(?=$|[,.;!]| and\b)', r'\1 the \2 one'),
    (r', (?=(?:in|on|into|onto) (?:the|my) [\w ]+? goes? (?:the|a|my)\b)', '. '),
    (rf'\b(?:all )?(?:the )?(?:three |two |four )?(\w+?)s (?:{MODAL} )?'
     r'(?:go |goes |be put |be placed |are |'
     rf'placed )?(?:on|onto|in|into) (?:the )?({HOLDER})e?s, (?:each '
     r'on (?:its own|a different)(?: \w+)?|'
     r'one (?:on|in) each|one each)', r'put each \1 on a different \2',
     'two three four all each'),
)
LATER = rules(
    # Contrasts
    (rf'(^|[.;!?]\s*)instead of ({NP}),? (?:please )?({PUT} [^,.;!?]+)(?=$|[.;!?])',
     r'\1\3 instead of \2'),
    (rf'\bnot only ({NP}),? but(?: also)? ({NP}) (?={PREP} )', r'\1 and \2 ', 'not only but'),
    (r',? (?:and )?not the other way (?:a)?round\b', '', 'not'),
    (rf'\b({PUT} [^,.;!?]+?) down (?=\d)', r'\1 '),
    (r'\b(any \w+) you (?:like|want|prefer|choose)\b', r'\1'),
    (r'\bi (?:want|would like) to see only ', 'i want only '),
    # Choosing, taking in the hand, looking
    (rf'\b(?:choose|select|pick out|pick) ((?:any )?{_COUNT}(?: of)? [\w ]+?),? and (?:then )?'
     rf'({PUT}) (?:it|them) ', r'\2 \1 '),
    (r'\b(?:take|pick up|grab|hold|get|pick) ([^,.;!?]+?) (?:in|into|with) (?:your|the) (?:hand|'
     r'gripper|fingers)(?=$|[,.;!?]| and\b)', r'pick up \1'),
    (r'\b(look(?: around)?) (?:once more|one more time|once again)\b', r'\1'),
    (rf'\b({NP}) would look (?:nice|nicer|good|great|better|lovely|perfect|best) ({PREP} '
     rf'[^,.;!?]+?),? so (?:please )?({PUT}) (?:it|them) there\b', r'\3 \1 \2'),
    (rf'\b(stack|pile)(?: up)? ({NP}|[\w ]+?)(?: up)? (?:in|into|to|as) (?:a|one|a single) '
     r'(?:tower|stack|pile)(?=$|[,.;!?]| and\b| with\b)', r'\1 \2'),
    # Objects first
    (rf'(^|[.;!?]\s*)({NP}),? (?:please |you |just )*({PUT}) (?:it |them )?(?=(?:in|into|on|'
     rf'onto|'
     r'to|inside|next to|beside|behind|between|in front of)\b)', r'\1\3 \2 '),
    (rf'(^|[.;!?]\s*)((?:in|into|on|onto)(?: to)? (?:the|that|this) [\w ]*?),? (?:please '
     rf')?({PUT}) '
     rf'({NP})(?=$|[.;!?])', r'\1\3 \4 \2'),
    # Lists
    (rf'\b({PUT} {NP}){NO_HOLDER}(?<!along)(?<!together) with (?!the colou?r)({NP}) (?=(?:in|into|'
     rf'on|onto) (?:the|a|my))', r'\1 and \2 '),
    (r'^(?:a |one )?(tower|stack|pile) of ', r'build a \1 of '),
    # What should stay
    (r'\b(?:ignore|forget about|hands off|keep (?:your hands )?off|do not bother with|spare|'
     r'stay away from|do not pick up|do not take|do not grab) (?=the|my|any|all|both|'
     r'that)', 'leave ', 'not keep'),
    (r'\b(?:keep|leave) (?:only|just|nothing but) (?!one|two|three|\d|an? )([^,.;!?]+?) '
     r'(?=(?:in|inside|on) )',
     r'only \1 should be ', 'keep leave nothing but'),
    (r'\bonly ([^,.;!?]+?) (?:should|must|may|can|is allowed to) (?:stay|remain|be left|be kept) '
     r'(?=(?:in|inside) )', r'only \1 should be '),
    # Conditions
    (rf'\b((?:if|unless) (?:(?! {VERB} (?:the|it|them|a|an|my|all|both|every)\b| then )'
     r'[^,.;!?])*),? then (?!it is\b)', r'\1, '),
    # For whom
    (r'\b(fetch|get|bring) ((?:it|them|the|a|an|my|that|this|one|some|any)\b(?:(?! (?:in|into|on|'
     r'onto|to|next|out|off|from|behind|beside|between|near|and|then)\b)[^,.;!?])*?) for (?:me|us)'
     r'(?=$|[.;!?]|, | please| will you| would you)', r'\1 me \2'),
    (r'\b((?:is|are) [^.;!?]+)\? *(?:then|in that case|so|well then|great,|ok,)\b,? ',
     r'if \1, '),
)


# "the bar and the can, both into the bin"
_ALL_OF = re.compile(rf'\band ((?:the|my|an?|that|this) [\w -]+?),? (?:both|all(?: {_COUNT})?|'
                     rf'each|'
                     r'together)(?: of them)? (?=(?:in|into|on|onto|to|go|should|belong|must|'
                     r'need) )')
_ACTS = re.compile(rf'\b(?:{VERB}|them|and|then)\b')


# "I would be glad if you placed ..."
_BASE = {**PARTICIPLES, 'took': 'take', 'threw': 'throw', 'gave': 'give', 'got': 'get',
         'turned': 'turn', 'grabbed': 'grab', 'set': 'set', 'stuck': 'stick', 'popped': 'pop'}
_IF_YOU = re.compile(rf'\b(if you )({"|".join(_BASE)}) ')


def _last_of(match: re.Match[str]) -> str:
    listed = match.string[:match.end(1)]
    acts = _ACTS.search(match[1]) or not are_as_many(listed, match[0])
    return match[0] if acts else f'and {match[1]} '


def in_plain_frames(text: str) -> str:
    """The text with each of the forms above as a plain one."""
    text = rewritten(_ALL_OF, _last_of, text, 'all both each two three four five six')
    text = _IF_YOU.sub(lambda m: f'{m[1]}{_BASE[m[2]]} ', text)
    for pattern, words, may_lose in (*FRAMES, *WISHES, *LATER):
        text = rewritten(pattern, words, text, may_lose)
    return text
