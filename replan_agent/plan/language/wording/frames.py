"""Other forms of a command, and the plain one: "mum wants the lime in the bowl"."""

from __future__ import annotations

import re

from ..words import COLOURS, DETERMINERS, PARTICIPLES, SIZES
from .asides import PEOPLE, VERB

_PREP = (r'(?:in|into|on|onto|to|inside|next to|beside|behind|between|near|left of|right of|'
         r'in front of|on top of|at|by)')
_HOLDER = r'(?:bowl|bin|plate|tray|box|basket|crate|dish|saucer|container|wastebasket|trash)s?'
_MODAL = (r'(?:should|must|has to|have to|needs to|need to|ought to|is to|are to|shall|had better|'
          r'would better)')
_PASSED = r'(?:put|placed|moved|brought|dropped|set|taken|carried|transferred|shifted|laid)'
_PUT = r'(?:put|place|move|drop|bring|set|take|throw|carry|transfer|stick|pop|lay)'
_NP = r'(?:the|a|an|my|your|our|all|both|every|each|everything|these|those|that|this)\b[^,.;:!?]*?'
_COUNT = r'(?:two|three|four|five|six|\d+)'

# "the can go in the bin": it may be a thing
_NO_NOUN = ''.join(rf'(?<!\b{word})' for word in sorted(DETERMINERS | COLOURS | SIZES.keys()))

FRAMES = tuple((re.compile(pattern), words) for pattern, words in (
    (r'^(?:would|is|was|could) (?:it|that|there) (?:be )?(?:ok|okay|possible|alright|fine|all right|any way|'
     r'a way|a chance|any chance|too much to ask)(?: for you| with you)? (?:to|if you(?: could| would)?|'
     r'that you(?: could)?|for you to|you could|of you) ', ''),
    (r'^(?:i would (?:love|like|appreciate|prefer) it|it would be (?:\w+ )?\w+|i would be (?:\w+ )?\w+) if you (?:could |would |can )?', ''),
    (rf'\bsomewhere (?={_PREP} )', ''),
    (rf',? (?:and )?(?:the )?same (?:for|with|goes for) ({_NP})(?=$|[,.;!])', r', \1 too'),
    (r'\bthe ([\w ]+?) is contents?\b', r'the contents of the \1'),
    (rf',? and (if [^,.;!?]+, (?:then )?{VERB}\b)', r'. \1'),
    (r'\bfrom the (\w+) (\w+) (to|into|onto|in) the (\w+) one\b', r'from the \1 \2 \3 the \4 \2'),
    (rf'\b((?:in|into|on|onto) the (?:\w+ )?{_HOLDER}) (?:where|in which|on which) ({_NP}) (?:is|are|lies?|sits?|stands?)(?=$|[,.;!])', r'\1 with \2'),
    (r'\b(?:to|on|at) the ([\w ]+?) is (left|right)(?: side)?(?=$|[,.;!?])', r'to the \2 of the \1'),
    (rf'(^|[.;!?]\s*)not ({_NP}) but ({_NP}) (?=goes|should|belongs|must)', r'\1\3 '),
    (r'\b(?:over|across) (?=(?:to|on) the (?:left|right)\b)', ''),
    (r' aside (?=(?:on|in|next|onto|into) )', ' '),
    (rf'\b(?:i want|i need|i would like|we need) an empty ((?:\w+ )?{_HOLDER})(?=$|[,.;!?])', r'empty the \1'),
    (r'(\b(?:all|every|everything)\b[^.;!?]*), (?:also|including|even)(?: also| even)? (?:those|the ones?|that one|what is) [^,.;!?]+', r'\1'),
    (rf'\b({_PUT} {_NP}) ((?:in|into|on|onto) (?:the|a|my) [\w ]+?),? (?:as well as|together with|along with|plus|and also) '
     rf'({_NP})(?=$|[.!])', r'\1 and \3 \2'),
    (r'\bthe (?:thing|object|one) (?:that|which) (?:looks like|resembles|is like) (?:an?|the) ', 'the '),
    (r'\b(is|are) still\b', r'\1'),
    (r'\ban? (\w+) of (its|their) own\b', r'\2 own \1'),
    (r'\b(?:back|over|up|down|across|along) (?=towards?\b)', ''),
    (r'\b(?:take|get|grab|pick up) (?:both|the two|two|the)( \w+)s(?:,| and|,? then) put one (?=in|on|to)',
     r'put one\1 '),
    (r'\bdo not (?:put|place|move|drop|set|throw|stick) ([^,.;!?]+?) (?:in|into|on|onto|to|next to) [^,.;!?]+?'
     r'[,.;!]?(?: but| instead| rather)* (put|place|move|drop|set|throw|stick) (?:it|them|that) ',
     r'\2 \1 '),
    (rf'\b({_NP}) (?:should|must|may) not (?:have|contain|hold) anything(?: (?:left )?(?:in it|inside))?',
     r'\1 should be empty'),
    (r'\b(?:wants|could do with|could use) (?=(?!nothing|everything|anything|something)\w+ing\b)', 'needs '),
    (rf'\b(?:remove|take|lift|grab|pick up|get|fetch) ({_NP}) (?:off|from|off of) (?:the )?(?:table|desk)(?:,? and|,)'
     rf'(?: then)? ({_PUT}) (?:it|them) ', r'\2 \1 '),
    (rf'(^|[.;!?]\s*|\band |, )((?:in|into|on|onto|inside) the [\w ]+?),? (?:i|we) (?:want|would like|need) '
     rf'({_NP})(?=$| and\b|[,.;!])', r'\1\3 goes \2'),
    (rf'\b((?:leave|keep) {_NP})(?:,| and) ((?:everything|all the|the|all) (?:else|rest|others?)\b)', r'\1. \2'),
    (rf'\b({_PUT}) (the (?:(?! (?:in|into|on|onto|to|next) )[\w -])+?),? (?:and )?then (the [\w -]+? '
     r'(?:in|into|on|onto|to) )', r'\1 \2 and \3'),
    (r'\b(?:i want|i would like|i need|let us have|let us build|let us make|do|make|build|create) (?:me |us )?(?:an?|one|the) '
     r'(?:new |nice |big |small |tall |little |high |straight |neat )*(tower|stack|pile|row|line)\b(?! is| on| in| to)',
     r'build a \1'),
    (r'\b(?:put|place|arrange|set|line up|bring|lay) ([^,.;!?]+?) in(?:to)? (?:the )?(?:right |correct )?order(?: of| by)'
     r'(?: their| the)? (size|height|colou?r)\b', r'sort \1 by \2'),
    (r'\b(?:distribute|spread|divide|share|put|split)(?: out)? (?:all )?(?:the )?(?:three |four |two )?(\w+?)s?(?: out)?(?: evenly)? '
     r'(?:over|across|among|amongst|between|onto|on|to|in|into) (?:all )?(?:the )?(?:three |four |two )?(plate|bowl|tray|dish|saucer|basket)e?s,? '
     r'(?:one (?:on|in|per|for|to) (?:each|every)(?: \w+)?|so(?: that)? no \w+ has two|so(?: that)? each(?: \w+)? (?:has|gets) one|'
     r'one each|evenly)\b', r'put each \1 on a different \2'),
    (r'\b(?:put|place|set) ([^,.;!?]+?) on (?:top of )?(?:each other|one another)(?=,| with)', r'stack \1'),
    (r', (?:and )?(?:with )?(?:the )?(\w+)(?: one| cube)? (?:below|underneath|as the base|at the base|being at the bottom)\b',
     r', with the \1 one at the bottom'),
    (r'\b(?:take|get|grab|catch)(?: a)? hold of ', 'grab '),
    (r',? (?:but |and )?only if\b', ' if'),
    (r'\b(?:immediate|direct) (?=(?:left|right)\b)', ''),
    (rf' {_MODAL} (?:(?:come|get|go|be taken|be moved|be) out of|leave) {_NP} and (?:then )?(?:go |be put |be placed |move |land |be )?'
     r'(?=(?:in|into|on|onto|to|next to) )', ' goes '),
    (rf'\b(?:make sure|ensure|see to it|check|see)(?: that)? ({_NP}) (?:lies|stands|sits|rests|gets|lands|lie|stand|sit) '
     rf'(?={_PREP} )', r'\1 goes '),
    (rf'\b(goes|go) ({"|".join(sorted(COLOURS))})(?=$|[,.;!]| and\b)', r'\1 the \2 one'),
    (r', (?=(?:in|on|into|onto) (?:the|my) [\w ]+? goes? (?:the|a|my)\b)', '. '),
    (r'\b(?:all )?(?:the )?(?:three |two |four )?(\w+?)s (?:(?:should|shall|must|have to|need to) )?(?:go |goes |be put |be placed |are |'
     r'placed )?(?:on|onto|in|into) (?:the )?(plate|bowl|tray|dish|saucer|basket)e?s, (?:each on (?:its own|a different)(?: \w+)?|'
     r'one (?:on|in) each|one each)', r'put each \1 on a different \2'),
    # Wishes
    (rf'\b(?!i |we |you )({PEOPLE}) (?:wants|needs|want|need|would like|would love|wishes|asked for|prefers) '
     r'(?:to (?:have|see) )?(?=the|a|all|both|every|my|an|two)', 'i want '),
    (rf'\b(?!i |we |you ){PEOPLE} (?:says|said|asked me|asked you|told me|told you|wants you|wants us|'
     rf'would like you|wants me|asks you) (?:that )?(?:to|you should|we should) ', ''),
    (r'\bi (?:want|would like|would love|wish|expect|hope|need) (?:to (?:see|find|have)|that) '
     r'(?=the|a|all|both|every|my|an)', 'i want '),
    (r'\b(?:let me see|show me|can we have|can we get|could we have|could we get|let us get|'
     r'i would be (?:happy|glad|pleased) to (?:see|have)|it would be (?:nice|good|great|lovely|'
     rf'best|cool|better) to (?:have|see)) ({_NP}) (?={_PREP} )', r'i want \1 '),
    (r'\b(?:(?:it|i) would (?:be|like it|love it|appreciate it)(?: \w+)?|i would be \w+|'
     rf'how about) if ({_NP}) (?:ended up|was|were|went|sat|stood|landed|got|could be|could go|'
     r'would be|would go|were to (?:be|go)|came|lay|moved)(?: put| placed| moved)? ', r'\1 goes '),
    (r'\b(?:what|how about) if (?:you|we) (?=put|place|move|take|bring|set)', ''),
    (rf'\b(?:could|can) ({_NP}) (?:please )?(?:be|get) ({_PASSED}|turned|rotated) ([^.;!?]*)\?',
     r'\1 should be \2 \3'),
    (rf'\b(?:i|we) (?:want|need|would like) ({_NP}) (?:to )?(?:be|get|go) (?:over )?(?={_PREP} )',
     r'\1 goes '),
    # Statements
    (rf'\b({_MODAL}) to (?=be|go)', r'\1 '),
    (rf' {_MODAL} (?:be found|be located|be kept|be stored|be lying|be resting|be waiting|find (?:its|their) way|'
     rf'make (?:its|their) way|finish|finish up|wind up|arrive|join the others|be left|'
     rf'be set|be dropped|be brought|be transferred|be shifted|be carried|be deposited|'
     rf'be relocated)(?: over)? (?={_PREP} )', ' goes '),
    (rf' {_MODAL} (?:move|be moved|shift|be shifted|travel) (?=\d|from|a bit|a little|left|right|forward|back|'
     rf'over|{_PREP} )', ' goes '),
    (rf'{_NO_NOUN} (?:can|may|could) (?:now |all |both )?(?:go|be put|be placed|be moved|move) (?:over )?(?={_PREP} )',
     ' goes '),
    (rf' (?:winds? up|lands?|finish(?:es)? up|finds? (?:its|their) way|makes? (?:its|their) way|ha(?:s|ve) (?:its|their) place|'
     rf'lives?|moves|(?:is|are|would be) better(?: off)?|will go|is going|are going|'
     rf'jumps|hops|wanders|travels|had better (?:be|go)) '
     rf'(?:over )?(?={_PREP} )', ' goes '),
    (rf'\b({_NP})(?: is|s)? (?:proper |right )?(?:place|home|spot) is (?={_PREP} )', r'\1 goes '),
    (rf'(^|[.,;] ?|\band )([\w ]+?) joins? {_NP} (?=(?:in|on) )', r'\1\2 goes '),
    (rf'\b((?:the )?(?:\w+ )?{_HOLDER}(?: (?:in the middle|on the left|on the right))?) '
     rf'(?:gets|get|receives|is for|are for|takes|is where) ({_NP})(?: goes?| go| belongs?)?'
     rf'(?=$|[.,;!]| and (?:the )?(?:\w+ )?{_HOLDER} (?:gets|is for|receives))', r'put \2 to \1'),
    (rf'\bfind (?:a|some) (?:home|place|spot|space|room) for ({_NP}) (?={_PREP} )', r'put \1 '),
    # Objects first
    (rf'(^|[.;!?]\s*)({_NP}),? (?:please |you |just )*({_PUT}) (?:it |them )?(?=(?:in|into|on|onto|'
     r'to|inside|next to|beside|behind|between|in front of)\b)', r'\1\3 \2 '),
    (rf'(^|[.;!?]\s*)((?:in|into|on|onto)(?: to)? (?:the|that|this) [\w ]*?),? (?:please )?({_PUT}) '
     rf'({_NP})(?=$|[.;!?])', r'\1\3 \4 \2'),
    # Lists
    (rf'\b({_PUT} {_NP})(?<!along)(?<!together) with (?!the colou?r)({_NP}) (?=(?:in|into|on|onto) (?:the|a|my))', r'\1 and \2 '),
    (r'^(?:a |one )?(tower|stack|pile) of ', r'build a \1 of '),
    # What should stay
    (r'\b(?:ignore|forget about|hands off|keep (?:your hands )?off|do not bother with|spare|'
     r'stay away from|do not pick up|do not take|do not grab) (?=the|my|any|all|both|that)', 'leave '),
    (r'\b(?:keep|leave) (?:only|just|nothing but) ([^,.;!?]+?) (?=(?:in|inside|on) )',
     r'only \1 should be '),
    (r'\bonly ([^,.;!?]+?) (?:should|must|may|can|is allowed to) (?:stay|remain|be left|be kept) '
     r'(?=(?:in|inside) )', r'only \1 should be '),
    # Conditions
    (r'\b((?:is|are) [^.;!?]+)\? *(?:then|in that case|so|well then|great,|ok,)\b,? ',
     r'if \1, '),
))


# "the bar and the can, both into the bin"
_ALL_OF = re.compile(rf'\band ((?:the|my|an?|that|this) [\w -]+?),? (?:both|all(?: {_COUNT})?|each|'
                     r'together)(?: of them)? (?=(?:in|into|on|onto|to|go|should|belong|must|need) )')
_ACTS = re.compile(rf'\b(?:{VERB}|them|and|then)\b')


# "I would be glad if you placed ..."
_BASE = {**PARTICIPLES, 'took': 'take', 'threw': 'throw', 'gave': 'give', 'got': 'get',
         'turned': 'turn', 'grabbed': 'grab', 'set': 'set', 'stuck': 'stick', 'popped': 'pop'}
_IF_YOU = re.compile(rf'\b(if you )({"|".join(_BASE)}) ')


def _last_of(match: re.Match[str]) -> str:
    return match[0] if _ACTS.search(match[1]) else f'and {match[1]} '


def in_plain_frames(text: str) -> str:
    """The text with each of the forms above as a plain one."""
    text = _IF_YOU.sub(lambda m: f'{m[1]}{_BASE[m[2]]} ', _ALL_OF.sub(_last_of, text))
    for pattern, words in FRAMES:
        text = pattern.sub(words, text)
    return text
