"""What a word says about an object: its kind, its colour, a part of its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from replan_agent.domain.kinds import FIELDS, NOT, OR, Form, Word, name_words
from replan_agent.domain.scene import CONTAINERS, Scene, SceneObject, Shape

from .nouns import BINS, GROUPS, forms_of, named, written

LIKE = frozenset({'round', 'square', 'flat'})  # kinds that are said before a noun


def _each(words: str, *shapes: Shape, form: Form | None = None) -> dict[str, Word]:
    forms = frozenset(() if form is None else (form,))
    return {word: Word(word, shapes=frozenset(shapes), forms=forms, is_noun=word not in LIKE)
            for word in words.split()}


KINDS: Mapping[str, Word] = {
    **_each('cube square', form=Form.CUBE),
    **_each('block brick', Shape.BOX),
    **_each('box', Shape.BOX, Shape.BIN),
    **_each('bar stick rod', form=Form.BAR),
    **_each('cylinder can tin', Shape.CYLINDER),
    **_each('ball sphere', Shape.SPHERE),
    **_each('bowl dish', Shape.BOWL),
    **_each('basket tray crate ' + ' '.join(sorted(BINS)), Shape.BIN),
    **_each('container', *CONTAINERS),
    **_each('table tabletop desk', Shape.TABLE),
    **_each('wall obstacle', Shape.WALL),
    **_each('object thing thingy item piece one stuff',
            *(set(Shape) - {Shape.TABLE, Shape.WALL})),
    **{word: Word(word, names=written(*group), is_noun=True) for word, group in GROUPS.items()},
    **_each('round', Shape.CYLINDER, Shape.SPHERE, Shape.BOWL),
    **_each('flat', form=Form.FLAT),
}


@lru_cache(maxsize=512)
def word(text: str) -> Word:
    """What a word says about an object. After a `-` it must not be so; `a|b` is a or b."""
    if text.startswith(NOT) or OR in text:
        parts = [word(part) for part in text.removeprefix(NOT).split(OR)]
        names, others, colours, shapes, forms = (
            frozenset().union(*(getattr(part, key) for part in parts)) for key in FIELDS)
        return Word(text, names | others, frozenset(), colours, shapes, forms,
                    all(part.is_noun for part in parts))
    if text in KINDS:
        return replace(KINDS[text], names=KINDS[text].names | written(*named(text)))
    return Word(text, written(text), written(*named(text) - {text}), frozenset({text}))


def words(*texts: str) -> tuple[Word, ...]:
    """What each of the words says about an object."""
    return tuple(map(word, texts))


def fits(text: str, thing: SceneObject, scene: Scene | None = None) -> bool:
    """Whether the word is true of the object; among those of the scene, if one is given."""
    return word(text).fits(thing, scene)


def is_named(texts: Iterable[str], thing: SceneObject) -> bool:
    """Whether its name or its colour says every word; a kind alone does not."""
    return all(not named(w).isdisjoint(forms_of(thing.name)) or w == thing.colour for w in texts)


def is_only_for(texts: Iterable[str], thing: SceneObject) -> bool:
    """Whether the words are only what a fixed container is for: "the bread" is no bread_bin.

    A drawer_top is a drawer: its last word is no kind of container.
    """
    own = next((part for part in reversed(name_words(thing.name)) if not part.isdigit()), '')
    return (thing.is_container and not thing.movable and own in KINDS and KINDS[own].fits(thing)
            and not any(fits(text, replace(thing, name=own)) for text in texts))
