"""What a word says about an object: its kind, its colour, a part of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from .nouns import BINS, GROUPS, HAS_OTHER_NAMES, forms_of, name_words, named
from .scene import Scene, SceneObject, Shape

CUBE_SIDES_WITHIN = 1.25
BAR_LONGER_THAN = 2.0
FLAT_WITHIN = 0.4  # height as a share of the smaller side
NOT = '-'  # before a word that must not fit
OR = '|'  # between words of which one must fit: "red|blue"

Rule = Callable[[SceneObject], bool]


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


def _of(group: frozenset[str]) -> Rule:
    return lambda thing: not group.isdisjoint(forms_of(thing.name))


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
    **_each('basket tray crate ' + ' '.join(BINS), _shaped(Shape.BIN)),
    **_each('container', lambda thing: thing.is_container),
    **_each('table tabletop desk', _shaped(Shape.TABLE)),
    **_each('wall obstacle', _shaped(Shape.WALL)),
    **_each('object thing thingy item piece one stuff', is_thing),
    **{word: _of(group) for word, group in GROUPS.items()},
    **_each('round', _shaped(Shape.CYLINDER, Shape.SPHERE, Shape.BOWL)),
    **_each('square', is_cube),
    **_each('flat', _is_flat),
}
_SPELLINGS = {'gray': 'grey'}


def fits(word: str, thing: SceneObject) -> bool:
    """Whether the word is true of the object. After a `-` it must not be; `a|b` is a or b."""
    if word.startswith(NOT):
        return not fits(word[1:], thing)
    if OR in word:
        return any(fits(part, thing) for part in word.split(OR))
    word = _SPELLINGS.get(word, word)
    return (not named(word).isdisjoint(forms_of(thing.name))
            or word == _SPELLINGS.get(thing.colour, thing.colour)
            or (word in KINDS and KINDS[word](thing)))


def fits_here(word: str, thing: SceneObject, scene: Scene) -> bool:
    """As `fits`, but another name counts only if nothing here has the word itself in its name.

    With a pen and a marker, "the pen" is the pen; with markers alone it is one of these.
    """
    if word in HAS_OTHER_NAMES and word not in KINDS and any(
            word in forms_of(o.name) for o in scene.objects):
        return word in forms_of(thing.name) or word == thing.colour
    return fits(word, thing)


def is_named(words: Iterable[str], thing: SceneObject) -> bool:
    """Whether its name or its colour says every word; a kind alone does not."""
    return all(not named(w).isdisjoint(forms_of(thing.name)) or w == thing.colour for w in words)


def is_only_for(words: Iterable[str], thing: SceneObject) -> bool:
    """Whether the words are only what a fixed container is for: "the bread" is no bread_bin.

    A drawer_top is a drawer: its last word is no kind of container.
    """
    own = next((word for word in reversed(name_words(thing.name)) if not word.isdigit()), '')
    return (thing.is_container and not thing.movable and own in KINDS and KINDS[own](thing)
            and not any(fits(word, replace(thing, name=own)) for word in words))


def fitting(words: Iterable[str], scene: Scene) -> list[SceneObject]:
    """The objects that every word fits."""
    return [o for o in scene.objects if all(fits_here(word, o, scene) for word in words)]
