"""Calls and manners around an order: "robot robot", "sweetheart", "when you get a second"."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..words import RELATIONS, VERBS
from .asides import PEOPLE

_NAME = r'(?:robot|robo|robbie|bot|machine|jeeves|jarvis|alexa|siri)'
_TITLE = (rf'(?:(?:my |old |you |dear |little |good |sweet )*(?:{_NAME}|sweetheart|sweetie|honey|'
          r"hon|babe|baby|love|lovely|darling|dearie|dear|champ|chief|captain|boss|sir|madam|ma'am|"
          r'mister|bud|buddy|pal|mate|friend|bro|dude|man|chap|fella|genius|legend|star|angel))')
_NOISE = (r'(?:oh no|(?:hello|hi|hey) there|ew+|yuck|ugh|argh|um+|uh+|uhm|er+m?|'
          r'hm+|oh|ah|hey|hi|hello|yo|oi|ok|okay|so|well(?! done)|now|'
          r'alright|basically|honestly|seriously|pretty|please|pls|plz|yeah|yep|and)\b[\s,!.:]*')
_LEAD = re.compile(rf'^\s*(?:{_NOISE}|{_NAME}\b[\s,!.:]*|(?:{_TITLE}|right|look|listen|like)'
                   r'\s*[,!.:]+\s*)+', re.IGNORECASE)
_CALL = re.compile(rf'(?:,\s*|(?<=[.!?])\s+){_TITLE}\b(?=\s*(?:[.!?,]|$))', re.IGNORECASE)
_LIKE = re.compile(rf',\s*(?:like|um+|uh+|erm?|you know|well|ok|okay),\s+(?=(?:'
                   rf'{"|".join(w for w in RELATIONS if w.isalpha())}|next)\b)', re.IGNORECASE)
_MOMENT = (r'(?:a|an|some|the|one|your) (?:spare |free |quick |odd )?(?:second|sec|minute|min|'
           r'moment|mo|chance|tick|break)|(?:some |the |enough )?time|a (?:second|minute|moment) '
           r'(?:free|to spare)')
_END = rf'(?=\s*(?:$|[.,;!?])|\s+(?:please|pls|can|could|would|will|{"|".join(sorted(VERBS))})\b)'
_IF_YOU = re.compile(
    rf"[\s,]*\b(?:when|whenever|if|once|as soon as) you(?:'ve got| have got| get| have| find| got|"
    rf' can spare| could spare| can find) (?:{_MOMENT}){_END}'
    rf"|[\s,]*\b(?:if|when) you(?:'re| are) (?:free|ready|not (?:too )?busy|so inclined){_END}"
    r"|[\s,]*\bif you (?:please|would be so (?:kind|good)|do not mind|don't mind|wouldn't mind|"
    r"would not mind|would|will)(?=\s*(?:[.!?,]|$))"
    r"|[\s,]*\b(?:if it(?:'s| is) (?:no|not (?:a|too much)) (?:bother|trouble|problem)|"
    rf'when(?:ever)? it suits you|at your (?:earliest )?convenience|in your own time){_END}'
    r"|,\s*(?:will|would|could|can|won't|wo not) you(?: please)?(?=\s*(?:[.!?,]|$))"
    r'|^\s*whatever (?:you do|happens|else you do)\b,?\s*(?=\w)'
    r'|^\s*(?:be an? (?:\w+ )?(?:robot|dear|darling|love|sport|angel|star|pal|friend)|do me an? '
    r'(?:\w+ )?(?:solid|favou?r|kindness)) and\s+'
    r'|^\s*(?:the thing is|long story short|to be honest|by the way|as you can see|to cut a long '
    rf'story short)[,:]\s*|(?<=\byou) like(?= (?:{"|".join(sorted(VERBS))}) )', re.IGNORECASE)
# "mum says the tomato goes in the bowl": what should be, if nothing else is said
_SAYS = re.compile(
    rf'^(?!(?:i|we|you|he|she|they|people|nobody|no one|everyone|everybody|somebody|'
    rf'someone|anyone)\b){PEOPLE} (?:says|said|insists|told me|tells me)(?: that)? '
    r'(?=(?:the|my|all|both|every)\b[^,.;!?]*? (?:goes?|should go|should be put|must go|belongs?|'
    r'has to go|have to go|needs to go) (?:in|into|on|onto|to|next to)\b(?:[^.;!?]|\.\d)*'
    r'[.!\s]*$)', re.IGNORECASE)


def without_address(task: str, names: Callable[[str], bool]) -> str:
    """The task without calls, sounds and polite phrases. `names`: a word is one for an object."""
    def called(match: re.Match[str]) -> str:
        return match[0] if any(map(names, re.findall(r'\w+', match[0].lower()))) else ''

    text = _LIKE.sub(' ', _CALL.sub(called, _IF_YOU.sub('', task)))
    return _SAYS.sub('', _LEAD.sub(called, text).lstrip(' ,'))
