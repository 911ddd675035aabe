"""A remark that names a thing, before a command that says "it": "I am done with the can, bin it".

The command gets the name of the thing, and the remark is left out.
"""

from __future__ import annotations

import re

from .asides import PEOPLE, VERB
from .counted_words import says_nothing_to_do

NOUN = (r'((?:the|a|an|my|your|our|that|this|these|those|all|both|every|each|his|her|their)\b'
        r'(?! (?:is|are|one|would|will)\b)[^,.;:!?]*?)')
_AND = r'\s*(?:[,.;:!?]+|\band\b|\bso\b|\bthen\b)(?:\s*(?:and|so|then|please|just|now))*\s+'
_ASKS = (r'(?:(?:please|just|now|can you|could you|would you|will you|you can|you could|you '
         r'should|kindly|'
         r'go and|simply|better|maybe|i want you to|i need you to|let us|let is),? )*')
_NEXT = rf'(?={_ASKS}(?:{VERB}\b|it\b|they\b|that one\b|(?:in|into|on|onto) (?:the|my)\b))'
_FIND = (r'(?:find|locate|search for|look for|search|seek|seek out|identify|spot|choose|select|'
         r'pick out|'
         r'get hold of|go to|reach for|track down|go for|detect|find me)')
_STOP = (r'(?= (?:is|are|was|were|has|have|looks?|smells?|seems?|does|do|should not|must not|'
         r'can not|'
         r'lying|sitting|standing|left|on|in|at|over|out|here|there|around|again|any ?more|'
         r'annoys?|everywhere|'
         r'bothers?|disturbs?|again|behind|next|near)\b|\s*[,.;!?])')
# "the bar: turn it by 45 degrees"
_BARE = (r'((?:the|my|that|this|these|those|both|all)\b(?:(?! (?:is|are|was|were|has|have|does|'
         r'do|should|must|left|goes) )'
         r'[^,.;:!?])*?)')
_REMARKS = tuple(re.compile(rf'(^|[.;!?]\s*){remark}{_AND}{_NEXT}') for remark in (
    rf'{_FIND} {NOUN}',
    rf'(?:as for|about|regarding|concerning|now for|you know|look at|remember|see|you see|do '
    rf'you see|'
    rf'can you see) {NOUN}(?: over there| there)?',
    rf'{PEOPLE} (?!want |would like |need you|wants |should |must )(?:\w+ '
    rf'){{1,5}}?{NOUN}{_STOP}[^,.;!?]*',
    rf'(?:here|there) (?:is|are) (?:too many |so many |lots of |a lot of |some |still |only '
    rf')*{NOUN}{_STOP}[^,.;!?]*',
    rf'{NOUN}{_STOP} [^,.;!?]*',
    _BARE,
))
_IT = re.compile(r'\b(?:(?:all|both) of them|it|him|her|them(?: all| both)?|that one|this one|'
                 r'they(?: all| both)?)\b')
_FIRST = re.compile(rf'^{_ASKS}(?:{VERB} (?:up |away |down |out )?|)'
                    r'(?:(?:all|both) of them|it|him|her|them|that one|this one|they)\b')
_THERE = re.compile(r'\b(in|into|on|onto|next to|beside|behind|near|with) (?:it|them)\b')
_THEIRS = re.compile(r'^(?:his|her|their) ')
# "the red cube, that one should go in the bowl"
_RESUMED = re.compile(rf'(^|[.;!?]\s*){_BARE}[,.:;] (?:that one|this one|that|it|they|those|these|'
                      r'he|she) (?=(?:should|must|goes|go|belongs?|needs?|has|have|can go|is to|'
                      r'are to|ought)\b)')
# Not a remark: it says what should be.
_ORDERS = re.compile(rf'\b(?:if|unless|until|should(?! not)|must(?! not)|ha(?:s|ve) to|goes|go|'
                     rf'belongs?(?<!not belong)|ought|'
                     rf'(?<!not )wants?|except|would look|(?:one|some|any|two|half|either|most) '
                     rf'of (?:the|my)|and (?:the|my) [\w ]+? (?:is|has|was|looks))\b|'
                     rf'(?:^|[.;!?]\s*){VERB} (?:the|a|my|both|all)\b')
_MANY = re.compile(r'\bthere are (?:too many|so many|lots of|a lot of|still|some) (\w+s)'
                   r'\b(?=[^,.;!?]*[,.;!?])')
_THROWN = re.compile(r'^((?:throw|toss|chuck|dump) (?!.*\b(?:in|into|on|onto|to|at)\b)[\w ]+?)'
                     r'(?: out)?(?=$|[.!])(?<!away)')
# "the cubes on the plate are old": only those. On the table is where all things are.
_HERE = (r'(?:table|desk|floor|counter|way|middle|wrong|kitchen|room|house|moment|place|end|whole|'
         r'kids?|children|cat|dog|guests|day|time|sun|edge)')
_WHERE = re.compile(rf'^(?: lying| sitting| standing| that| which| is| are)* (?:left of|right of|'
                    rf'in front of|(?:on|in|into|onto|at|to|inside|near|behind|next to|beside|'
                    rf'between|under|over|from)) (?:the |my |an? |our )(?!(?:\w+ )?{_HERE}\b)\w+')
_CONTRAST = re.compile(r'\b(?:but|not|or|nor|than|unless)\b')  # "the lime but not the can"
_OTHER = re.compile(rf'\b(?:and|or|but|than|not|like|unlike|with) (?:the|my|this|that|these|'
                    rf'those|your|our) (?!{_HERE}\b)\w+')


def with_topics(text: str) -> str:
    """The text with the thing of a remark in the command that follows it."""
    text = _MANY.sub(r'there are the \1', _RESUMED.sub(r'\1\2 ', text))
    for remark in _REMARKS:
        match = remark.search(text)
        if match is None or _ORDERS.search(match[0]):
            continue
        thing = match[match.lastindex or 1]
        if _says_more(match[0], thing, text[match.end():]):
            break
        thing, rest = _THEIRS.sub('the ', thing), text[match.end():]
        if _FIRST.match(rest):
            rest = thing.join(_IT.split(rest, maxsplit=1))
        elif _THERE.search(rest):
            rest = _THERE.sub(rf'\1 {thing}', rest, count=1)
        else:
            continue
        text = text[:match.end(1)] + _THROWN.sub(r'\1 away', rest)
    return text


def _says_more(remark: str, thing: str, command: str) -> bool:
    """Whether a remark says which things, names another one, or has a word that counts.

    What the command says again is not lost: "it is too close to the bin, move it from the bin".
    """
    _, _, after = remark.partition(thing)
    return bool(not says_nothing_to_do(remark, thing, command) or _CONTRAST.search(thing)
                or _WHERE.match(after) or _OTHER.search(after))
