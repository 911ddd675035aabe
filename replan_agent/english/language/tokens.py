"""A task as tokens: words in one spelling, numbers with their unit, separators."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, replace

from replan_agent.domain.refusals import NotUnderstood

from .everyday import CONTRACTIONS, PHRASES, SPELLINGS, verb_form
from .wording.counted_words import rewritten, rules
from .wording.rewording import reworded
from .words import DETERMINERS, RELATIONS, VERBS

LONGEST_TASK = 1000  # characters
STRESS = frozenset('right directly straight exactly precisely smack slap bang slap-bang squarely '
                   'plumb'.split())
ROUGHLY = frozenset('exactly precisely about around roughly approximately'.split())
BEFORE_YOU = ('to', 'from', 'nearest', 'closest', 'closer_to', 'apart_from')
STRESSED = RELATIONS.keys() - {'by', 'from', 'to', 'towards'}


@dataclass(frozen=True)
class Token:
    """A word or a separator. `value` is the number of a length (m), an angle, a point.

    `said` are the words of the task that it stands for; None if another token has them.
    `follows`: a full stop, "then", "after that" or such stands before it. `then`: not only a stop.
    """

    text: str
    kind: str = 'word'  # word, stop, comma, number, length, angle, point
    value: tuple[float, ...] = ()
    said: str | None = field(default='', compare=False)
    follows: bool = field(default=False, compare=False)
    then: bool = field(default=False, compare=False)


_NUMBER = r'([+-]?(?:\d+(?:\.\d+)?|\.\d+))'
# "at (0.4, -0.2)", "to x=0.4 y=-0.2", "at 0.4 m, -0.2 m": metres, base frame
_AT = re.compile(r'\b(?:at|to)\s+(?:(?:the\s+)?(?:position|point|location|spot|'
                 r'coordinates?)\s*)?\(?\s*'
                 rf'(?:x\s*[=:]?\s*)?{_NUMBER}\s*m?(?:\s*,\s*|\s+and\s+|\s+)'
                 rf'(?:y\s*[=:]?\s*)?{_NUMBER}(?:\s*m\b)?\s*\)?(?!\s*,?\s*\.?\d)')
# "can the tomato go in the bowl please": without "please" it is a question
_PLEASE = re.compile(r'\b(?:please|pls|plz)\b')
_ASKED = re.compile(r'(?:(?<=[.;!?])|^)\s*(?:please,?\s+)?(?:can|could|may|might)\s+((?:the|all|'
                    r'both|every|each|everything|my|that|this|these|those)\b[^.;!?]*?)\s+'
                    r'(?:go|be put|be placed|be moved)\b')
# Forms of a whole sentence: "put neither A nor B in the bin, just C", "the bowl should contain A
# and nothing else", "any fruit will do, put one in it", "two fruits, the banana not among them".
_REWORDED = rules(
    (r'\b(\w+) neither (.+?) nor (.+?) ((?:in|into|on|onto|to|inside)\b[^,.;]+?),? '
     r'(?:but |and )?(?:just|only|rather|instead|but) ([^,.;]+)',
     r'leave \2 and \3 . \1 \5 \4', 'neither nor but only rather instead'),
    (r'\b(\w+) neither (?:of the )?(\w+?)s? ((?:in|into|on|onto|to|inside)\b[^,.;]+?),? '
     r'(?:but |and )?(?:just|only|rather|instead|but) ([^,.;]+)', r'leave both \2s . \1 \4 \3',
     'neither but only rather instead'),
    (r'\b((?:should|must|has to|needs to) (?:contain|have|hold)\b[^.;]*?),? (?:and|but) nothing '
     r'else\b(?! in| to)', r'\1 and nothing else in it', 'but'),
    (r'((?:^|[,.;!?] ?)(?:(?! (?:in|into|on|onto|inside) )[^,.;!?])*?)(?:,? (?:and|but|with)|,) '
     r'nothing (?:else|more),? ((?:should be |must be |is |goes |be )?(?:in|inside|on) '
     r'(?!it\b|there\b|them\b|the table\b)[^,.;!?]+)', r'\1 \2 and nothing else in it', 'but'),
    (r'\b(?:any|either) (\w+) (?:will do|is fine|is ok)[,.;]? (?:so |and )?([^.;]*?)'
     r'\b(?:any )?one\b(?! of)', r'\2 any \1', 'any either one'),
    (r'\b((?:all|every)(?: of)?(?: the)? \w+) bar (the|my|that)\b', r'\1 except \2'),
    (r',? (?:but |and |with )?(the [\w ]+?) not (?:being )?(?:among|amongst|one of) them\b',
     r' except \1', 'but not'),
)
_SECOND = re.compile(r'\b(second|third|fourth)-(?=\w+(?:est|most)\b)')
_WHICHEVER = re.compile(r'\bwhichever (\w+) (is|are)\b')
_AS_YOU_LIKE = re.compile(r'\bwhichever (\w+) you (?:like|want|prefer|choose)\b')
_UNITS = {'mm': 0.001, 'cm': 0.01, 'm': 1.0, 'inch': 0.0254, 'in': 0.0254}
_PIECE = re.compile(
    r'@(?P<px>[^:\s]+):(?P<py>\S+)'
    r'|(?P<length>(?<!\w)-?\d+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>millimet(?:er|re)s?|centimet(?:er|re)s?|'
    r'met(?:er|re)s?|inch(?:es)?|mm|cms?|m)\b'
    r'|(?P<angle>[+-]?\d+(?:\.\d+)?)[\s-]*(?:degrees?\b|deg\b|°)'
    r"|(?P<number>\d+)(?![\w.])|(?P<word>[^\W\d][\w'’\-]*(?:\.\d+)?|\d+[a-z_]\w*)"
    r'|(?P<comma>[,:])|(?P<stop>[.;!?\n])|(?P<other>\S)')

_COUNTS = {word: number for number, word in enumerate(
    'zero one two three four five six seven eight nine ten eleven twelve'.split())}
_TENS = {'fifteen': 15, 'twenty': 20, 'thirty': 30, 'forty': 40, 'forty-five': 45, 'fifty': 50,
         'sixty': 60, 'ninety': 90}
_LENGTHS = {**_COUNTS, **_TENS, 'half a': 0.5, 'a': 1, 'a couple of': 2}
_SAID_LENGTH = re.compile(
    rf'\b({"|".join(sorted(_LENGTHS, key=len, reverse=True))})[\s-]+'
    r'(millimet|centimet|met(?:er|re)|inch|degree|cm\b|mm\b)')
_BY_WORDS = {tuple(phrase.split()): meaning for phrase, meaning in PHRASES.items()}
_LONGEST = max(map(len, _BY_WORDS))

# An order in words, "from biggest to smallest", is a key to sort by.
_DIMENSIONS = {
    'size': ('smallest small smaller little tiny', 'biggest big bigger largest large larger'),
    'height': ('shortest short shorter lowest low', 'tallest tall taller highest high')}
_ENDS = {word: (key, way) for key, both in _DIMENSIONS.items()
         for way, words in zip(('up', 'down'), both) for word in words.split()}
_END = '|'.join(_ENDS)
_WAYS = {'ascending': 'up', 'increasing': 'up', 'descending': 'down', 'decreasing': 'down'}
_SIDE = r'(?:\s+(?:at|on)\s+(?:the\s+)?(bottom|left|right|top))?'
_FROM_TO = re.compile(rf',?\s*\b(?:in order\s+)?from\s+(?:the\s+)?({_END})(?:\s+one)?{_SIDE}\s+'
                      rf'(?:up\s+|down\s+)?to\s+(?:the\s+)?({_END})\b(?: one\b)?{_SIDE},?')
_FIRST = re.compile(rf',?\s*\b(?:with\s+)?(?:the\s+)?({_END})(?: one)?\s+(?:first|(?:on|at) the '
                    r'(left|right))\b(?!\s+(?:of|in|into|on|onto)\b)')
_BY_WAY = re.compile(rf',?\s*\b(?:in|by)\s+({"|".join(_WAYS)})(?:\s+order)?(?:\s+of|\s+by)?\s+'
                     r'(size|height)\b')
_SORTED = re.compile(r'\b(?:sort|order|arrange|organi[sz]e|row|line)\b')
_SORTED_AS = {'size_up': 'from small to big', 'size_down': 'from big to small',
        'height_up': 'from short to tall', 'height_down': 'from tall to short'}


def tokenise(task: str) -> list[Token]:
    """The tokens of a task. Raises NotUnderstood for what is no text of a task."""
    return list(_tokens(task))


@functools.lru_cache(maxsize=256)  # each new plan reads the same task
def _tokens(task: str) -> tuple[Token, ...]:
    if len(task) > LONGEST_TASK:
        raise NotUnderstood(f'{task[:40]}...', f'longer than {LONGEST_TASK} characters')
    text = task.lower().replace('\u2212', '-').replace('\u2019', "'")
    text = text.replace('->', ' to ').replace('\u2192', ' to ')
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    asks_for_it = _PLEASE.search(text)
    text = reworded(text)
    text = _ASKED.sub(_goes, text) if asks_for_it else text
    text = _SECOND.sub(r'\1 ', text)
    for pattern, words, may_lose in _REWORDED:
        text = rewritten(pattern, words, text, may_lose)
    text = _AS_YOU_LIKE.sub(r'any \1', _WHICHEVER.sub(r'the \1 that \2', text))
    text = _SAID_LENGTH.sub(lambda m: f'{_LENGTHS[m[1]]} {m[2]}', _ordered(text))
    text = _AT.sub(r' at @\1:\2 ', text)
    return tuple(_unstressed(_phrases([
        token for match in _PIECE.finditer(text) for token in [_token(match)]
        if token.text not in ('"', "'", '`', '')])))


def _goes(match: re.Match[str]) -> str:
    """ "the lemon and the lime both (go)" as "the lemon and the lime goes"."""
    return f'{re.sub(" (?:both|all)$", "", match[1])} goes'


def _token(match: re.Match[str]) -> Token:
    text = match[0]
    if match['px']:
        return Token(f'({match["px"]}, {match["py"]})', 'point',
                     (float(match['px']), float(match['py'])))
    if match['length']:
        unit = match['unit']
        if text.startswith('-'):
            raise NotUnderstood(text, 'name the direction, and how far it is')
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
    return Token(verb_form(SPELLINGS.get(word, word), VERBS), said=_SORTED_AS.get(word, word))


_LONG = {'mm': 'milli', 'cm': 'centi', 'm': 'met', 'inch': 'inch', 'in': 'inch'}


def _phrases(tokens: list[Token]) -> list[Token]:
    """The tokens with phrases of several words as one word."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        words = tuple(t.text for t in tokens[at:at + _LONGEST])
        starts = not found or found[-1].kind == 'stop'
        asks = starts and words[0] == 'what' and words[1:2] != ('about',)  # "what is in it?"
        measured = words[0] == 'you' and bool(found) and found[-1].text in BEFORE_YOU
        length = 0 if asks or measured else next(
            (n for n in range(len(words), 0, -1) if words[:n] in _BY_WORDS), 0)
        found += (_standing_for(tokens[at:at + length], _BY_WORDS[words[:length]]) if length
                  else [tokens[at]])
        at += length or 1
    return found


def _standing_for(phrase: list[Token], meaning: str) -> list[Token]:
    said = ' '.join(token.said or token.text for token in phrase)
    return [replace(_meant(word), said=None if number else said)
            for number, word in enumerate(meaning.split())]


def _meant(word: str) -> Token:
    if word.startswith('@'):
        return Token(f'{word[1:]} degrees', 'angle', (float(word[1:]),))
    if word in _COUNTS:
        return Token(word, 'number', (float(_COUNTS[word]),))
    return Token(word, 'stop' if word == '.' else 'word')


def _unstressed(tokens: list[Token]) -> list[Token]:
    """Without the "right" of "right in front of" and the "exactly" of "exactly 10 cm"."""
    return [token for before, token, after in zip((Token(''), *tokens), tokens,
                                                  (*tokens[1:], Token('')))
            if not (token.text in STRESS and (after.text in STRESSED or after.text in STRESS)
                    and before.text not in DETERMINERS)
            and not (token.text in ROUGHLY and after.kind in ('length', 'angle'))
            and not (token.text == 'over' and (after.kind == 'length' or after.text in (
                'a_bit', 'left', 'right', 'near', 'between', 'behind', 'left_of', 'right_of')))]


def _ordered(text: str) -> str:
    """The text with "from biggest to smallest" as "by size_down" at the end of its sentence."""
    match, key = _said_order(text)
    if match is None:
        return text
    rest = text[:match.start()] + ' ' + text[match.end():]
    rest = re.sub(rf',?\s*\bby (?:their )?{key.split("_")[0]}\b', '', rest)
    return f'{rest.rstrip(" .!,")} by {key}'


def _said_order(text: str) -> tuple[re.Match[str] | None, str]:
    """Where the order is said, and the key that it means."""
    for match in _FROM_TO.finditer(text):
        (key, way), (other, back) = _ENDS[match[1]], _ENDS[match[3]]
        if key == other and way != back:
            starts_there = match[2] in ('right', 'top')  # "from the smallest at the top ..."
            return match, f'{key}_{back if starts_there else way}'
    sorts = _SORTED.search(text)
    first = _FIRST.search(text) if sorts else None
    if first is not None and first.start():
        key, way = _ENDS[first[1]]
        turned = first[2] == 'right'
        return first, f'{key}_{way if not turned else "down" if way == "up" else "up"}'
    by_way = _BY_WAY.search(text) if sorts else None
    if by_way is not None:
        return by_way, f'{by_way[2]}_{_WAYS[by_way[1]]}'
    return None, ''
