"""What a word was meant to be that nothing here knows: "rde" is "red"."""

from __future__ import annotations

import functools
import re

from replan_agent.domain.kinds import name_words
from replan_agent.domain.scene import Scene

from ..dictionary import KINDS
from ..nouns import GROUPS, SAME_THING, singular
from . import words
from .everyday import CONTRACTIONS, PHRASES, SPELLINGS, verb_form

MOST_WORDS = 3
FEW_WORDS = 3  # of fewer it cannot be told which language they are
# Ordinary words that the grammar does not use: whoever writes them made no typing mistake.
_NUMBERS = (
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen '
    'fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty '
    'ninety hundred thousand half third quarter dozen once twice double pair')
_SMALL = (
    'very every ever never even over under than then them they this that these those there their '
    'here hear her his him she he who whom what when where why how which while with without will '
    'would could should can may might must shall have has had having does did done doing been '
    'being was were are is am be not none no yes yet still such same some any many much more most '
    'less least few fewer little lot lots so too also only own other others another each both '
    'either neither all else about above across after again against along already although always '
    'among around as ask at away because before behind below beside between beyond but by down '
    'during except for from if in inside into like near next nor of off on onto or out outside '
    'past since soon through till to today together tomorrow tonight toward until up upon us use '
    'used we well you your yours our ours me my mine it its myself itself himself herself '
    'wherever whenever whoever however '
    'able far first last often per rather really just whose self lets')
_VERBS = (
    'cut eat wash break close paint wipe fold bend kick smash cook pour cover hide count show '
    'tell find draw write read wear feed heat cool mix shake peel hit saw chop slice bite boil '
    'burn buy sell call carve catch chase chew choose climb come cry dance dig dive drink drive '
    'dry fall fight fix fly follow freeze fry glue grow guess hammer hang hate help hug hunt iron '
    'jump join keep kill kiss know laugh lead learn lick listen live lock lose love mark match '
    'mean measure meet melt mend name need nail note obey own pack park pay pinch plant play '
    'polish post pray press print pump punch rest ride ring rip roll rub run sail save say see '
    'seal sew shoot shout shut sing sink sit sleep smell snap soak speak spell spill spray squash '
    'squeeze stare start stay steal steer step stir stop sweep swim swing talk tape taste teach '
    'tear tease test thank think tie touch trace train trap try tug type view visit wait wake '
    'walk want warm watch wave weigh fit fits whistle win wind wish work worry wrap yell zip '
    'share divide replace rebuild stab staple charge crack pretend forget hurry '
    'pause repeat lean dip dust scrub '
    'juggle balance attach connect remind care deal came gave gone got went made says seem send '
    'set hold pick take sort')
_NOUNS = (
    'spoon fork knife cat dog hat mat rat pan pen key toy tea car bat jar lid ring book hook soup '
    'boat coat bell doll hall wall reverse whole arm leg foot head face eye ear nose mouth hair '
    'man men boy girl baby lady lord mum mom dad son aunt king queen bird fish cow pig hen goat '
    'sheep horse mouse bear lion duck bee ant fly egg milk rice meat cake pie jam nut bean corn '
    'salt oil water wine beer coffee juice bread cheese butter sugar food meal lunch house home '
    'room door floor roof bed sofa chair lamp light fire ice snow rain wind sun moon star sky sea '
    'lake hill rock sand soil tree leaf grass rose farm park road path town city shop bank school '
    'bus van bike truck train ship plane coin money card game film song band drum horn note page '
    'line word name list form part piece side edge back base foot rope wire wood iron gold tin '
    'glass paper cloth silk wool sock shoe boot belt cap tie suit shirt skirt dress bag purse '
    'case tool saw nail pin bolt nut gear lever phone radio clock bulb plug cord fan hour day '
    'week month year time date life death war law idea thing fact case way end top hand help ten '
    'width length height depth middle surface distance centimetre inch finger thumb palm '
    'tent age air guy spot stuff weight gram grams kilo kilos pound pounds minute minutes '
    'second seconds')
_QUALITIES = (
    'good bad best worst better worse nice fine great new old young hot cold warm cool wet dry '
    'clean dirty full empty heavy light hard soft strong weak fast slow loud quiet sharp blunt '
    'thick thin wide narrow deep flat round rich poor cheap dear easy safe sick ill dead alive '
    'sure true false real right wrong early late free busy ready open shut sweet sour fresh raw '
    'ripe fair dark pale bright clear plain pretty ugly happy sad angry funny kind mean rude wise '
    'silly crazy tidy messy loose tight smooth rough sticky shiny tall high long tiny '
    'heavier heaviest lighter lightest')
COMMON_VERBS = frozenset(_VERBS.split())
ORDINARY = frozenset(' '.join((_NUMBERS, _SMALL, _VERBS, _NOUNS, _QUALITIES)).split())


def _vocabulary() -> frozenset[str]:
    said = [*PHRASES, *PHRASES.values(), *SPELLINGS, *words.VERBS, *words.PARTICIPLES, *words.ENDS,
            *words.DETERMINERS, *words.QUANTITIES, *words.SUPERLATIVES, *words.SIZES,
            *words.ORDINALS, *words.PRONOUNS, *words.COLOURS, *words.DIRECTIONS, *KINDS,
            *(word for group in (*SAME_THING, *GROUPS.values()) for word in group),
            'degrees', 'colour', 'size', 'height', 'shape', 'tower', 'row', 'gripper', 'clockwise',
            'cm', 'mm']
    return frozenset(w for text in said for w in re.findall(r"[a-z][a-z'-]+", text.lower()))


VOCABULARY = _vocabulary()
USUAL = words.PUT_VERBS | words.PICK_VERBS | words.COLOURS | KINDS.keys() | words.DETERMINERS


# Words that name no thing and no colour.
_SMALL_WORDS = frozenset(
    'the and into onto next between behind front beside please everything every each both with '
    'from except then left right forward towards inside there other them should degrees'.split())
_USUAL_VERBS = frozenset('put place move take pick grab bring stack swap turn rotate push pull '
                         'throw drop lift leave'.split())
_THINGS = words.COLOURS.union(KINDS, *SAME_THING, *GROUPS.values())
_LONE_WORD = re.compile(r"(?<![\w'\u2019-])[A-Za-z]+(?![\w'\u2019-])")
LONG_WORD = 5  # a shorter word that differs by a letter may be a word of its own: "prop", "drop"


def respelled(task: str, scene: Scene) -> str:
    """The task with typing mistakes in small words and verbs corrected, where one word fits.

    Letters that changed places ("teh") or are doubled; in a long small word any letter.
    """
    here = {w for o in scene.objects for w in (*name_words(o.name), o.colour.lower())}

    def correct(match: re.Match[str]) -> str:
        word = match[0].lower()
        if _is_known(word, here) or any(_is_near(word, n) for n in here):
            return match[0]
        return _corrected(word) or match[0]

    return _LONE_WORD.sub(correct, task)


@functools.lru_cache(maxsize=512)
def _corrected(word: str) -> str:
    """The small word or verb that an unknown word was meant to be; '' if it may be another."""
    if len(word) < 3 or any(_is_near(word, n) for n in _THINGS):
        return ''
    close = [w for w in _SMALL_WORDS | _USUAL_VERBS if _is_slip(word, w) or (
        w in _SMALL_WORDS and len(word) >= LONG_WORD and _is_near(word, w))]
    return close[0] if len(close) == 1 else ''


def _is_near(word: str, other: str) -> bool:
    """Whether the words differ by one typing mistake at most."""
    return abs(len(word) - len(other)) < 2 and edits(word, other) < 2


def _is_slip(word: str, meant: str) -> bool:
    """Whether two neighbours changed places, or a letter is doubled."""
    if sorted(word) == sorted(meant):
        return edits(word, meant) == 1
    return len(word) == len(meant) + 1 and any(
        a == b and word[:i] + word[i + 1:] == meant
        for i, (a, b) in enumerate(zip(word, word[1:])))


def knows_words(task: str, scene: Scene) -> bool:
    """Whether the grammar uses all words of the task, or they name something in the scene."""
    here = {w for o in scene.objects for w in (*name_words(o.name), o.colour.lower())}
    used = VOCABULARY | here | frozenset(f'{_NUMBERS} {_SMALL}'.split())
    return all({word, singular(word)[0], verb_form(word, words.VERBS)} & used
               for word in re.findall(r"[a-z][a-z'-]+", task.lower()[:1000]))


def is_foreign(task: str, scene: Scene) -> bool:
    """Whether most words of the task are no English words, also with a typing mistake mended."""
    here = {w for o in scene.objects for w in (*name_words(o.name), o.colour.lower())}
    text = task.lower()[:1000].replace('\u2019', "'")
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    said = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", text)
    letters = ''.join(said)
    if sum(not letter.isascii() for letter in letters) * 2 > len(letters):
        return True  # another script
    known = [w for w in said if w in ('a', 'i') or len(w) > 1 and _is_english(w, here)]
    return len(said) >= FEW_WORDS and len(known) * 2 < len(said)


def _is_english(word: str, here: set[str]) -> bool:
    return _is_known(word, here) or bool(_corrected(word)) or any(
        _is_slip(word, meant) for meant in (*here, *USUAL) if len(word) > 2)


def _is_known(word: str, here: set[str]) -> bool:
    stem, _ = singular(word)
    forms = {word, stem, verb_form(word, words.VERBS)}
    return bool(forms & VOCABULARY or forms & here or {word, stem, *_verbs(word)} & ORDINARY)


def suggestion(task: str, scene: Scene) -> str:
    """A question for each word that is almost a known one: "did you mean 'red'?"; or ''."""
    here = {w for o in scene.objects for w in (*name_words(o.name), o.colour.lower())}
    found = []
    said = re.findall(r"[a-z][a-z'-]+", task.lower()[:1000])
    described = {after for before, after in zip(said, said[1:]) if before in words.DETERMINERS}
    for word in dict.fromkeys(w for w in said if "'" not in w):
        stem, _ = singular(word)
        forms = {word, stem, verb_form(word, words.VERBS)}
        if forms & VOCABULARY or forms & here:
            continue
        if {word, stem, *_verbs(word)} & ORDINARY:  # "the read cube" may still be a red one
            near = (_nearest(word, here & words.COLOURS)
                    if len(word) > 3 and word in described else '')
        else:
            near = _nearest(word, here) or _nearest_of_all(word)
        if near:
            found.append(f'did you mean {near!r} where you wrote {word!r}?')
    return ' '.join(found[:MOST_WORDS])


def _verbs(word: str) -> list[str]:
    """What the word may be a form of: touches, touched, touching."""
    ends = [end for end in ('s', 'es', 'd', 'ed', 'ing') if word.endswith(end)]
    stems = [word[:-len(end)] for end in ends]
    return [*stems, *(f'{stem}e' for stem in stems)]


@functools.lru_cache(maxsize=512)
def _nearest_of_all(word: str) -> str:
    """The nearest of the vocabulary that begins like it, or with its first two letters swapped."""
    return _nearest(word, {w for w in VOCABULARY
                           if w[0] == word[0] or sorted(w[:2]) == sorted(word[:2])})


def _nearest(word: str, known: frozenset[str] | set[str]) -> str:
    """The known word that differs by one typing mistake, or two in a long word."""
    most = 1 if len(word) < 8 else 2
    close = [(edits(word, other), other[0] != word[0], other not in USUAL, other)
             for other in sorted(known)
             if len(other) > 1 and abs(len(other) - len(word)) <= most]
    best = min(close, default=(99, True, True, ''))
    return best[3] if best[0] <= most else ''


def edits(a: str, b: str) -> int:
    """How many letters to add, drop, change or swap with their neighbour to get from a to b."""
    before, last = list(range(len(b) + 1)), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
