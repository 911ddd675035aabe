"""A remark that names a thing, before a command that says "it": "I am done with the can, bin it".

The command gets the name of the thing, and the remark is left out.
"""

from __future__ import annotations

import re

from .asides import PEOPLE, VERB

NOUN = (r'((?:the|a|an|my|your|our|that|this|these|those|all|both|every|each)\b'
        r'(?! (?:is|are|one|would|will)\b)[^,.;:!?]*?)')
_GONE = r'(?: any ?more| any longer| now| here| there| on (?:the|my) (?:table|desk)| around| lying around| in (?:the|my) way)*'
_AND = r'\s*(?:[,.;:!?]+|\band\b|\bso\b|\bthen\b)(?:\s*(?:and|so|then|please|just|now))*\s+'
_REMARKS = tuple(re.compile(rf'(^|[.;!?]\s*){remark}{_AND}(?={VERB}\b|it\b|they\b|that one\b)') for remark in (
    rf'{PEOPLE} (?:am|are|is) (?:all )?(?:done|finished|through) (?:with|using) {NOUN}{_GONE}',
    rf'{PEOPLE} (?:do|does) not (?:need|want|like|use|have a use for) {NOUN}{_GONE}',
    rf'{PEOPLE} (?:have|has) no (?:more )?use for {NOUN}{_GONE}',
    rf'(?:do|can) you see {NOUN}(?: over there| there)?', rf'(?:you )?see {NOUN}(?: over there| there)?',
    rf'you know {NOUN}', rf'look at {NOUN}', rf'remember {NOUN}',
    rf'(?:find|locate|search for|look for|search|seek|seek out|identify|spot|choose|select|pick out|'
    rf'get hold of|go to|reach for|track down|go for|detect|find me) {NOUN}',
    rf'(?:as for|about|regarding|concerning|now for) {NOUN}',
    rf'(?:here|there) (?:is|are) {NOUN}', rf'somebody left {NOUN}', rf'someone left {NOUN}',
    rf'{NOUN} (?:is|are|looks|look|smells|smell|seems|seem) (?!to\b|in the\b|on the\b|supposed\b)'
    r'(?:a bit |very |too |so |quite |all |really |now |already )?(?:in (?:the|my|our) way|\w+)',
    rf'{NOUN} (?:annoys|bothers|disturbs|annoy|bother|disturb) me',
    rf'{PEOPLE} (?:like|likes|love|loves|hate|hates|need|needs) {NOUN}',
))
_IT = re.compile(r'\b(?:it|him|her|them|that one|this one|they)\b')
_FIRST = re.compile(rf'^(?:(?:please|just|now) )*(?:{VERB} (?:up |away |down |out )?|)'
                    r'(?:it|him|her|them|that one|this one|they)\b')
_THERE = re.compile(r'\b(in|into|on|onto|next to|beside|behind|near) (?:it|them)\b')
# "the red cube, that one should go in the bowl"
_RESUMED = re.compile(rf'(^|[.;!?]\s*){NOUN}, (?:that one|this one|that|it|they|those|these|'
                      r'he|she) (?=(?:should|must|goes|go|belongs?|needs?|has|have|can go|is to|'
                      r'are to|ought)\b)')
_THROWN = re.compile(r'^((?:throw|toss|chuck|dump) [\w ]+?)(?: out)?(?=$|[.!])(?<!away)')


def with_topics(text: str) -> str:
    """The text with the thing of a remark in the command that follows it."""
    text = _RESUMED.sub(r'\1\2 ', text)
    for remark in _REMARKS:
        match = remark.search(text)
        if match is None:
            continue
        thing, rest = match[match.lastindex or 1], text[match.end():]
        if _FIRST.match(rest):
            rest = _IT.sub(lambda _: thing, rest, count=1)
        elif _THERE.search(rest):
            rest = _THERE.sub(rf'\1 {thing}', rest, count=1)
        else:
            continue
        text = text[:match.end(1)] + _THROWN.sub(r'\1 away', rest)
    return text
