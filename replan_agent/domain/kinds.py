"""What a word says about an object: its kind, its colour, a part of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from .scene import Scene, SceneObject, Shape

CUBE_SIDES_WITHIN = 1.25
BAR_LONGER_THAN = 2.0
FLAT_WITHIN = 0.4  # height as a share of the smaller side
NOT = '-'  # before a word that must not fit
OR = '|'  # between words of which one must fit: "red|blue"

Rule = Callable[[SceneObject], bool]

FRUIT = frozenset('apple apricot banana cherry fruit grape kiwi lemon lime mango melon orange '
                  'peach pear pineapple plum strawberry tomato'.split())
# Names for the same thing, British and American.
SAME_THING = tuple(frozenset(group.split()) for group in (
    'wrench spanner', 'mug cup beaker', 'torch flashlight', 'eraser rubber', 'biscuit cookie',
    'aubergine eggplant', 'courgette zucchini', 'pot saucepan', 'phone cellphone mobile',
    'pen biro', 'tape sellotape', 'box carton', 'can tin', 'soda cola', 'jug pitcher',
    'sweet candy', 'hammer mallet', 'marker felt-tip',
    'bottle flask', 'glass tumbler', 'plate dish saucer', 'rag cloth', 'brush paintbrush',
    'corn maize', 'bell_pepper capsicum', 'lorry truck', 'sponge scourer', 'peg clothespin'))


def is_loose(thing: SceneObject) -> bool:
    """Whether "everything" means it, too: movable, and no bowl or bin."""
    return thing.movable and not thing.is_container and is_thing(thing)


def is_thing(thing: SceneObject) -> bool:
    return thing.shape not in (Shape.TABLE, Shape.WALL)


def is_cube(thing: SceneObject) -> bool:
    return thing.shape is Shape.BOX and max(thing.size) <= CUBE_SIDES_WITHIN * min(thing.size)


def _is_bar(thing: SceneObject) -> bool:
    _, middle, longest = sorted(thing.size)
    return thing.shape is Shape.BOX and longest >= BAR_LONGER_THAN * middle


def _is_flat(thing: SceneObject) -> bool:
    return thing.size[2] <= FLAT_WITHIN * min(thing.size[:2])


def _shaped(*shapes: Shape) -> Rule:
    return lambda thing: thing.shape in shapes


def _each(words: str, meaning: Rule) -> dict[str, Rule]:
    return {word: meaning for word in words.split()}


KINDS: Mapping[str, Rule] = {
    **_each('cube', is_cube),
    **_each('block brick', _shaped(Shape.BOX)),
    **_each('box', _shaped(Shape.BOX, Shape.BIN)),
    **_each('bar stick rod', _is_bar),
    **_each('cylinder can tin', _shaped(Shape.CYLINDER)),
    **_each('ball sphere', _shaped(Shape.SPHERE)),
    **_each('bowl dish', _shaped(Shape.BOWL)),
    **_each('bin basket tray crate', _shaped(Shape.BIN)),
    **_each('container', lambda thing: thing.is_container),
    **_each('table tabletop desk', _shaped(Shape.TABLE)),
    **_each('wall obstacle', _shaped(Shape.WALL)),
    **_each('object thing item one stuff', is_thing),
    **_each('fruit', lambda thing: bool(FRUIT & set(name_words(thing.name)))),
    **_each('round', _shaped(Shape.CYLINDER, Shape.SPHERE, Shape.BOWL)),
    **_each('square', is_cube),
    **_each('flat', _is_flat),
}
_SPELLINGS = {'gray': 'grey'}


def name_words(name: str) -> list[str]:
    return re.split(r'[_\-\s]+', name.lower())


@lru_cache(maxsize=512)
def _named(word: str) -> frozenset[str]:
    """The word, and the others that name the same thing."""
    return frozenset({word}).union(*(group for group in SAME_THING if word in group))


def fits(word: str, thing: SceneObject) -> bool:
    """Whether the word is true of the object. After a `-` it must not be; `a|b` is a or b."""
    if word.startswith(NOT):
        return not fits(word[1:], thing)
    if OR in word:
        return any(fits(part, thing) for part in word.split(OR))
    word = _SPELLINGS.get(word, word)
    return (not _named(word).isdisjoint(name_words(thing.name))
            or word == _SPELLINGS.get(thing.colour, thing.colour)
            or (word in KINDS and KINDS[word](thing)))


def fitting(words: Iterable[str], scene: Scene) -> list[SceneObject]:
    """The objects that every word fits."""
    return [o for o in scene.objects if all(fits(word, o) for word in words)]
