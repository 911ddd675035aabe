"""What people say around a command: openers, thanks, reasons, manners. It is left out."""

from __future__ import annotations

import re

from ..words import HOLDERS, VERBS
from .counted_words import left_out, rewritten

VERB = f'(?:{"|".join(sorted(VERBS, key=len, reverse=True))})'
# Where a remark inside a sentence ends: at a stop, or before the next command.
END = (rf'(?=$|[.;!?]|,? (?:and )?then\b|,? (?:but|except|excluding|apart from|unless|if)\b|'
       rf', (?:not|only|just)\b|,? and {VERB} (?:the|it|them|all|both|my)\b|, {VERB}\b)')
PEOPLE = (r'(?:i|we|you|he|she|they|people|nobody|no one|everyone|everybody|somebody|someone|'
          r'anyone|(?:my |your |our )?(?:mum|mom|mummy|mommy|dad|daddy|boss|wife|husband|friend|'
          r'teacher|customer|client|grandma|granny|sister|brother|son|daughter|colleague|'
          r'kids?|children|guests|baby|toddler|girlfriend|boyfriend|flatmate|neighbour|neighbor|'
          r'roommate|dog|cat|team)|the (?:kids|children|boss|cat|guests|customer|client|others))')
_DOES = (r'(?:can|could|may|might|do|does|will|would|have|has|had|am|are|is|see|know|get|need|'
         r'never|find|always|want|am|later|use|keep)')
_SAFE = (r'(?:fall|roll|slip|slide|get|break|drop|bother|disappear|be in the way|be lost|'
         r'move around)')

_WHAT_FOR = (r'(?: for (?![^.;!?]*\b(?:tower|stack|pile|row|line)\b)'
             r'(?:(?:a|an|my|the|our|some) )?(?:[a-z-]+ )?[a-z-]+| now| right now| '
             r'today| tonight| soon| urgently| badly| myself)')
_REASONS = tuple(map(re.compile, (
    rf'[,.;] (?:please,? )?(?:i|we) (?:really |will |just )*need (?:it|them|the (?:table|'
    rf'desk|space|room)){_WHAT_FOR}{{1,2}}(?=$|[.;!?])',
    rf',? (?:so that|so|in order that) (?!they (?:are|get)\b){PEOPLE} {_DOES}\b[^.;!?]*?{END}',
    rf',? (?:so that|so) (?:it|they|nothing) (?:does|do|will|can|could|is|are) (?:not )?{_SAFE}\b'
    rf'[^.;!?]*?{END}',
    r',? (?:because|cause|cuz|coz|cos)\b (?![^.;!?]*\b(?:goes|should|must)\b)'
    rf'[^.;!?]*?{END}',
    rf'(?:,? since|, as|, for) (?:i|we|it|they|he|she|that|this|there) (?:is|are|was|am|have|'
    rf'has|do|does|'
    rf'need|want|will|can)\b[^.;!?]*?{END}',
    rf',? before (?:i|we|he|she|they|mum|mom|dad|someone|somebody|anyone|anybody|lunch|dinner|'
    rf'breakfast|it gets|it is too late|the (?:boss|guests?|kids|children))\b[^.;!?]*?{END}',
    rf',? to (?:make|get|have|free up|create|save|give)(?: us| me| some| more| a bit of)* '
    rf'(?:room|space)\b[^.;!?]*?{END}',
    rf',? to keep (?:it|them|things|the table|everything) (?:safe|tidy|clean|neat|together)'
    rf'\b{END}',
    r',? for (?:later|now|the moment|safety|safekeeping|good measure|the time being|'
    r'lunch|dinner|breakfast|today|tonight|a change|'
    r'my sake|starters|the (?:photo|picture|demo|kids|children|guests))\b',
)))
_MANNERS = tuple(map(re.compile, (  # closed phrases
    r',?(?: and| but)? without (?:breaking|dropping|damaging|hurting|spilling|crushing|'
    r'losing|squashing|bumping into)(?: it| them| anything| any of them| any)*\b(?! the| a)',
    r',?(?: and| but)? (?:be careful|careful|take care|mind)(?: now)?(?: not to (?:break|drop|'
    r'damage|hurt|spill|crush|lose|squash)(?: it| them| anything)?)?(?: with (?:it|them|that))?'
    r'(?=$|[.;!?,])',
    r',?(?: and| but)? do not (?:break|drop|damage|hurt|spill|crush|lose|squash)(?: it| them| '
    r'anything| any of them)?(?=$|[.;!?,])',
    r'(?:[,.;] (?:it|they|this)|[.;] that) (?:is|are) (?:very |quite |really |so |a bit |rather '
    r')?(?:fragile|'
    r'delicate|hot|heavy|sharp|expensive|precious|slippery|mine|yours|important|urgent|ripe|'
    r'dangerous|dirty|'
    r'broken|old|rotten|useless|poisonous|wet|nice|too (?:big|small|heavy))'
    r'(?: for (?:me|us|that|this))?(?=$|[.;!?])',
    r',? (?:it |that )?(?:does not|do not|doesnt) matter(?: to me)? (?:which|what|in what order|'
    r'how)'
    r'(?: one| ones| order)?\b',
    r',? (?:in )?(?:whatever|whichever|any) order(?: you like| you want)?\b',
    r'(?: rather)? than where (?:it|they) (?:is|are|was|were)(?: now)?\b',
    r',? (?:your choice|you choose|you decide|you pick|up to you|i do not mind|i do not care)'
    r'(?=$|[.;!?,])',
    r'[,.;]? (?:i|we) (?:do not|no longer|wo not|will not) (?:need|want|use) (?:it|them|that|'
    r'this|those|any of them)(?: any ?more| any longer| now| right now| today| again)?'
    r'(?=$|[.;!?])',
    r'[,.;] (?:it|they|that) (?:has|have) no (?:business|place)(?: being)? (?:here|there|on '
    r'(?:this|the|my|our) (?:table|desk))(?=$|[.;!?])',
    r'[,.;]? (?:i|we) (?:am|are) (?:done|finished|through) with (?:it|them|that|those|both|all of '
    r'them|both of them)(?=$|[.;!?])',
)))
_MANNERS_LOSE = 'not without but any again no which both all'
# A part of a sentence that has only such words says nothing about the table.
_IDLE = frozenset((
    'a afternoon ah ahem ahoy alright alrighty am and anyhow anyway attention awesome be boss '
    'bother bro btw buddy by bye careful chap cheers chop cool could darling day deal dear do '
    'dude ehm er erm err evening everybody everyone excuse favor favour feel fellow fine folks '
    'for free friend fun fyi genius good goodness got great guess guy guys haha hang have hear '
    'hello hey hi hiya hm hmm hmmm hmmmm honestly hooray hope hurrah hurry i important is '
    'just know lad listen lol love luck machine madam man mate me mind mister mmm morning mr '
    'much my news nice now oh oi ok okay our pal people perfect please pls plz pretty problem '
    'quick quickest quickly ready really robbie robot rush seriously sir so sorry sure '
    'sweetie ta team thank thanks think thx today trouble uh uhm um urgent us very welcome '
    'well wish wonder wow x xx yeah yep yes yo you your'
).split())
# Before a command they say nothing either; after it, "a second" may be how long.
_IDLE_FIRST = _IDLE | frozenset((
    'command first firstly help instruction instructions job kind last lastly minute mission '
    'moment new next question say second secondly see start step task thirdly time todo what '
    'while work'
).split())
_OPENERS = (
    r'(?:actually|basically|you know what|one more thing|another thing|next thing|last thing|'
    r'to do|what i want|let us see|let me see|let me think|'
    r'while you are (?:at it|there)|if (?:it is|that is) (?:ok|okay|alright|all right|fine|'
    r'possible)(?: with you)?|if it is not too much trouble|when you are ready|'
    r'whenever you are ready|when you have time|whenever you can|if you have time|for this task|'
    r'last but not least|last of all|to finish|to finish up|in the meantime|no worries|'
    r'this time|go on|come on|look|right|all right|next|then|oops|first of all|for '
    r'starters|step \d+)')
_BABBLE = re.compile(
    r'\b(?:basically|literally|obviously|of course|like i said|as i said|as usual|you know|'
    r'i mean it|kind of|sort of(?! the)|at once|in one go|'
    r'when (?:all is|everything is|it is all|it is|you are) (?:done|finished|over)|'
    r'once and for all|for real|for sure|quickly|real quick|really quick|super quick|rapidly|'
    r'neatly|nicely|properly|safely|softly|as always|as agreed|as discussed|'
    r'as mentioned|let us say|lets say|whatsoever|if you will|so to speak)\b')
# At the edge of a command; "the cube at the end" is one of several.
_LAST = re.compile(r'(?:^|(?<=[.;!?]))\s*(?:in the end|at the end|eventually)\b(?! of),?|'
                   r',? (?:in the end|at the end|eventually)(?=$|[,.;!?])')
_TRAILERS = (
    r'(?:ok|okay|right|yeah|yes|alright|all right|got it|got that|understood|clear|deal|agreed|'
    r'will you|would you|wo not you|can you|could you|please|pretty please|robot|love|darling|'
    r'sweetie|my friend|my dear|sir|madam|man|bro|mate|dude|pal|buddy|chop chop|hurry up|hurry|'
    r'quick|good (?:boy|girl|robot)|thank you|thanks|thank you very much|thanks so much|ta|'
    r'thank you so much|thank you kindly|cheers|many thanks|much appreciated|lol|haha|xx?|'
    r'go go go|go|off you go|that is all|that is it|nothing more|nothing special|'
    r'(?:that|it) would (?:be|really be) (?:great|nice|lovely|perfect|awesome|good|fantastic|'
    r'wonderful|super|cool|brilliant|all|amazing|very kind|helpful|a great help|so kind)|'
    r'i would (?:really )?appreciate (?:that|it)|if (?:it is|that is) (?:ok|okay|alright|all '
    r'right|fine|possible)(?: with you)?|if it is not too much trouble|if you would be so kind|'
    r'if you get (?:a|the) chance|when you get (?:a|the) chance|when you have (?:time|a minute|a '
    r'second|a moment)|have fun|good luck|do you understand|do you hear me|did you hear me|'
    r'is that (?:ok|okay|clear|possible)|please and thank you|no rush|take your time)')
_OPENS = re.compile(rf'(^|[.;!?]\s*)(?:{_OPENERS}(?:[,:!.]+|\s*\.\.+)\s*)+')
_CLOSES = re.compile(rf'(?:\s*[,.;!?]+\s*{_TRAILERS})+(\s*[.!?]*)\s*$')
_SO_THEN = re.compile(r'^(?:(?:ok|okay|alright|so|well|now|and|but|um|uh|erm|hm+|oh|ah|yes|yeah|'
                      r'(?:hey|hi|hello|you|yo)(?: you)?(?: there)?(?=,)|(?:hello|hi|hey|dear|'
                      r'ok|good|morning) robot|hey)\b,? )+(?:then,? )?')
# Whose left is meant, or who is in danger.
_STANDS = (r'[^,.;!?]*\b(?:facing|opposite|side|behind|across|(?:in|on|under|inside|near) (?:the|'
           rf'my|your) (?:{"|".join(sorted(HOLDERS))}|table|arm|robot|gripper))\b')
_ROOM = (r'(?: bit of| bit more| little| more)* (?:room|space)(?: here)? on (?:the|my) '
         r'(?:table|desk)(?:[,.;!]| so\b)')
# "I need some space here, so move the bar": not a wish, only why
_WHY_FIRST = re.compile(
    rf'(^|[.;!?]\s*){PEOPLE} (?:needs? (?:some|more|a|to)|wants? to (?:play|eat|cook|work|bake|'
    rf'draw|write|paint|use|sit|have)|am|are|is|feel|have|has|like|likes|love|hate|must|'
    rf'will|do not|does not|can not)\b(?! you| the)(?!(?!{_ROOM}){_STANDS})[^,.;!?]*(?:(?:,|'
    rf'[,.;!]* so|[,.;!]+ therefore)\s+(?=(?:please )?'
    rf'{VERB} (?!it\b|them\b|him\b|her\b))|,? so (?=i (?:need|want|would like) (?:the|a|all|'
    rf'both)\b|(?:only |the |both |all |every)[^,.;!?]* '
    r'(?:should|goes|go|belongs?|must|needs?)\b))')
_HARMLESS = (r'(?:enough|dirty|old|broken|ugly|lonely|tired|hungry|ready|heavy|wet|sticky|rotten|'
             r'ripe|cold|messy|cool|bad|boring|delicious|(?:such )?a mess|awful|terrible|'
             r'in my way|in the way|rubbish|garbage|(?:clean|nice|pretty|mine|yours|fine|hot|'
             r'great|good|fragile)(?!.*\b(?:all|every|everything|rest|others)\b))')  # it may stay
_SO_IT_IS = re.compile(
    rf'(^|[.;!?]\s*)(?:the|my(?! (?:hands?|arms?|head|face|foot|feet)\b)|this|that|it|'
    rf'one|these|those|everything)\b[^,.;:!?]*? (?:is|are|'
    rf'looks?) (?:too |very |so |quite |really |all |a bit )?{_HARMLESS}[,.;!]+ '
    rf'(?:so |please |and )*(?={VERB} )(?!.*\b(?:it|them|him|her)\b)')  # "it" may be that thing
_ROWS = re.compile(r'\b(?:stack|tower|pile|row|line|sort|order by|arrange|build)\b')
_IN_ORDER = re.compile(r',? in (?:that|this|the given|the same) order\b')
_SAY = re.compile(r',? (?:say|like|maybe|perhaps|about),? (?=(?:\d|one|two|three|four|five|six|'
                  r'ten|half)\b)')
# "two cubes in the bowl, any two"
_ANY_OF_THEM = re.compile(r'\b(one|two|three|four|\d)\b([^.;!?]*), any \1(?: of them)?(?=$|[.!])')
_PART = re.compile(r'[^,.:;!?\n]*[,.:;!?\n]*')


def _without_idle_parts(text: str) -> str:
    """Without the parts at the start and at the end that have only idle words."""
    parts = _PART.findall(text)[:-1]
    while len(parts) > 1 and _has_only(_IDLE_FIRST, parts[0]):
        parts.pop(0)
    while len(parts) > 1 and _has_only(_IDLE, parts[-1]):
        mark = parts.pop()[-1:]
        parts[-1] = parts[-1].rstrip(' ,;:') + (mark if mark == '?' else '')
    return ''.join(parts).strip()


def _has_only(idle: frozenset[str], part: str) -> bool:
    return set(re.findall(r"[\w'-]+", part)) <= idle


def without_asides(text: str) -> str:
    """The text of a task without what is no part of its commands."""
    before, text = '', _without_idle_parts(text)
    while before != text:
        before = text
        text = _SO_THEN.sub('', text)
        text = _CLOSES.sub(r'\1', _OPENS.sub(r'\1', text))
    text = left_out(_SO_IT_IS, left_out(_WHY_FIRST, text))
    if not _ROWS.search(text):
        text = _IN_ORDER.sub('', text)
    text = _LAST.sub('', _BABBLE.sub('', _SAY.sub(' ', _ANY_OF_THEM.sub(r'\1\2', text))))
    for pattern in _REASONS:
        text = left_out(pattern, text)
    for pattern in _MANNERS:
        text = rewritten(pattern, '', text, _MANNERS_LOSE)
    return text
