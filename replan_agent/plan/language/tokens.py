"""A task as tokens: words in one spelling, numbers with their unit, separators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .refusals import NotUnderstood

LONGEST_TASK = 1000  # characters


@dataclass(frozen=True)
class Token:
    """A word or a separator. `value` is the number of a length (m), an angle, a point."""

    text: str
    kind: str = 'word'  # word, stop, comma, number, length, angle, point
    value: tuple[float, ...] = ()


_NUMBER = r'([+-]?(?:\d+(?:\.\d+)?|\.\d+))'
# "at (0.4, -0.2)", "to x=0.4 y=-0.2", "at 0.4 m, -0.2 m": metres, base frame
_AT = re.compile(r'\b(?:at|to)\s+(?:(?:the\s+)?(?:position|point|location)\s*)?\(?\s*'
                 rf'(?:x\s*[=:]?\s*)?{_NUMBER}\s*m?(?:\s*,\s*|\s+and\s+|\s+)'
                 rf'(?:y\s*[=:]?\s*)?{_NUMBER}(?:\s*m\b)?\s*\)?(?!\s*,?\s*\.?\d)')
_UNITS = {'mm': 0.001, 'cm': 0.01, 'm': 1.0, 'inch': 0.0254, 'in': 0.0254}
_PIECE = re.compile(
    r'@(?P<px>[^:\s]+):(?P<py>\S+)'
    r'|(?P<length>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>millimet(?:er|re)s?|centimet(?:er|re)s?|'
    r'met(?:er|re)s?|inch(?:es)?|mm|cm|m)\b'
    r'|(?P<angle>[+-]?\d+(?:\.\d+)?)[\s-]*(?:degrees?\b|deg\b|°)'
    r"|(?P<number>\d+)(?![\w.])|(?P<word>[^\W\d][\w'’\-]*(?:\.\d+)?|\d+[a-z_]\w*)"
    r'|(?P<comma>[,:])|(?P<stop>[.;!?\n])|(?P<other>\S)')

_COUNTS = {word: number for number, word in enumerate(
    'zero one two three four five six seven eight nine ten eleven twelve'.split())}
_SAID_LENGTH = re.compile(rf'\b({"|".join(_COUNTS)})[\s-]+'
                          r'(millimet|centimet|met(?:er|re)|inch|degree|cm\b|mm\b)')
_SPELLINGS = {
    'gray': 'grey', 'color': 'colour', 'colors': 'colour', 'colours': 'colour',
    'left-most': 'leftmost', 'right-most': 'rightmost', 'toward': 'towards',
    'forwards': 'forward', 'backward': 'backwards', 'centre': 'middle', 'center': 'middle',
    'trash': 'bin', 'rubbish': 'bin', 'neighbouring': 'near', 'organize': 'organise',
    'putting': 'put', 'placing': 'place', 'moving': 'move', 'stacking': 'stack',
    'picking': 'pick', 'sorting': 'sort', 'pushing': 'push', 'atop': 'on', 'upon': 'on',
    'grey-coloured': 'grey', 'chuck': 'throw', 'fling': 'throw', 'bins': 'bins',
    'anticlockwise': 'counterclockwise',
    'counter-clockwise': 'counterclockwise', 'anti-clockwise': 'counterclockwise',
}
_CONTRACTIONS = (("n't", ' not'), ("'s", ' is'), ("'re", ' are'), ("'d", ' would'),
                 ("i'm", 'i am'), ("'ll", ' will'))

# Phrases of several words, longest first, and the words that they stand for ('' for nothing).
_PHRASES = {
    'on top of each other': 'each_other', 'on each other': 'each_other',
    'on top of one another': 'each_other', 'next to each other': 'in_a_row',
    'on top of': 'on', 'to the top of': 'onto', 'in front of': 'in_front_of',
    'to the left side of': 'left_of', 'on the left side of': 'left_of',
    'to the right side of': 'right_of', 'on the right side of': 'right_of',
    'to the left of': 'left_of', 'on the left of': 'left_of', 'left of': 'left_of',
    'to the right of': 'right_of', 'on the right of': 'right_of', 'right of': 'right_of',
    'next to': 'near', 'close to': 'near', 'near to': 'near', 'adjacent to': 'near',
    'beside': 'near', 'alongside': 'near', 'in between': 'between', 'by the side of': 'near',
    'in the middle between': 'between', 'halfway between': 'between', 'at the back of': 'behind',
    'out of': 'from', 'off of': 'from', 'off from': 'from', 'off': 'from',
    'in to': 'into', 'on to': 'onto', 'inside of': 'into', 'inside': 'in', 'within': 'in',
    'apart from': 'except', 'except for': 'except', 'other than': 'except',
    'but not': 'except', 'excluding': 'except', 'besides': 'except', 'aside from': 'except',
    'as well': 'too', 'also': 'too', 'in a row': 'in_a_row', 'in a line': 'in_a_row',
    'into a row': 'in_a_row', 'into a line': 'in_a_row', 'in line': 'in_a_row',
    'side by side': 'in_a_row', 'in one line': 'in_a_row', 'in one row': 'in_a_row',
    'after that': '.', 'afterwards': '.', 'and then': '.', 'then': '.', 'finally': '.',
    'lastly': '.', 'after this': '.', 'next ,': '.',
    'a little bit': 'a_bit', 'a little': 'a_bit', 'a bit': 'a_bit', 'slightly': 'a_bit',
    'a tiny bit': 'a_bit',
    'do not': 'not', 'never': 'not', 'upside down': 'upside_down',
    'there is': 'exists', 'there are': 'exists', 'you see': 'exists', 'you find': 'exists',
    'you can see': 'exists', 'we have': 'exists', 'you have': 'exists',
    'here': 'to_me',
    'to me': 'to_me', 'over here': 'to_me', 'towards me': 'to_me', 'over to me': 'to_me',
    'should be': 'goes', 'should go': 'goes', 'must be': 'goes', 'must go': 'goes',
    'belongs': 'goes', 'belong': 'goes', 'needs to go': 'goes', 'need to go': 'goes',
    'has to go': 'goes', 'have to go': 'goes', 'needs to be': 'goes', 'need to be': 'goes',
    'is supposed to be': 'goes', 'ought to be': 'goes',
    'please': '', 'kindly': '', 'thank you': '', 'thanks': '', 'for me': '', 'hey robot': '',
    'could you': '', 'can you': '', 'would you': '', 'will you': '', 'would you mind': '',
    'i want you to': '', 'i would like you to': '', 'i need you to': '', 'you should': '',
    'go ahead and': '', 'let is': '', 'maybe': '', 'be so kind as to': '', 'be so kind and': '',
    'get rid of': 'throw away', 'dispose of': 'throw away', 'discard': 'throw away',
    'out of here': 'away', 'away from here': 'away', 'i think': '',
    'now': '', 'just': '', 'ok': '', 'okay': '', 'gently': '',
    'carefully': '', 'slowly': '', 'quickly': '', 'let us': '', 'robot ,': '',
    'what you are holding': 'held_thing', 'what you hold': 'held_thing',
    'the held object': 'held_thing', 'the thing you are holding': 'held_thing',
    'i want to have': 'i_want', 'i would like to have': 'i_want', 'i want': 'i_want',
    'i would like': 'i_want', 'i need': 'i_want', 'make sure that': 'ensure',
    'make sure': 'ensure', 'ensure that': 'ensure', 'ensure': 'ensure', 'see to it that': 'ensure',
    'one of the': 'any_one', 'one of': 'any_one', 'any one of the': 'any_one',
    'any of the': 'any_one',
}
_BY_LENGTH = sorted(((tuple(k.split()), v) for k, v in _PHRASES.items()),
                    key=lambda item: -len(item[0]))


def tokenise(task: str) -> list[Token]:
    """The tokens of a task. Raises NotUnderstood for what is no text of a task."""
    if len(task) > LONGEST_TASK:
        raise NotUnderstood(f'{task[:40]}...', f'longer than {LONGEST_TASK} characters')
    text = task.lower().replace('\u2212', '-').replace('\u2019', "'")
    for short, long in _CONTRACTIONS:
        text = text.replace(short, long)
    text = _SAID_LENGTH.sub(lambda m: f'{_COUNTS[m[1]]} {m[2]}', text)
    text = _AT.sub(r' at @\1:\2 ', text)
    return _phrases([token for match in _PIECE.finditer(text) for token in [_token(match)]
                     if token.text not in ('"', "'", '`')])


def _token(match: re.Match[str]) -> Token:
    text = match[0]
    if match['px']:
        return Token(f'({match["px"]}, {match["py"]})', 'point',
                     (float(match['px']), float(match['py'])))
    if match['length']:
        unit = match['unit']
        scale = next(s for u, s in _UNITS.items() if unit.startswith((u, _LONG.get(u, u))))
        return Token(text, 'length', (float(match['length']) * scale,))
    if match['angle']:
        return Token(text, 'angle', (float(match['angle']),))
    if match['number']:
        return Token(text, 'number', (float(match['number']),))
    if match['comma'] or match['stop']:
        return Token(text, 'comma' if match['comma'] else 'stop')
    word = text.strip("'-")
    if word in _COUNTS:
        return Token(word, 'number', (float(_COUNTS[word]),))
    return Token(_SPELLINGS.get(word, word))


_LONG = {'mm': 'milli', 'cm': 'centi', 'm': 'met', 'inch': 'inch', 'in': 'inch'}


def _phrases(tokens: list[Token]) -> list[Token]:
    """The tokens with phrases of several words as one word."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        for words, meaning in _BY_LENGTH:
            if tuple(t.text for t in tokens[at:at + len(words)]) == words:
                if meaning:
                    found += [Token(word, 'stop' if word == '.' else 'word')
                              for word in meaning.split()]
                at += len(words)
                break
        else:
            found.append(tokens[at])
            at += 1
    return found
