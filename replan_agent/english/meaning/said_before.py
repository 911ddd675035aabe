"""What was said so far, and what "it", "them" and "there" mean after it."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason

from ..phrases import NounPhrase, Relation


@dataclass
class Discourse:
    """What was said so far: `mentioned` are the groups of objects acted on, in order.

    `landmarks` are the targets so far. `guesses` are the choices that the words left open.
    """

    scene: Scene
    viewpoint: str = 'arm'
    mentioned: list[tuple[str, ...]] = field(default_factory=list)
    landmarks: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # targets of what an "if" leaves out
    guesses: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # kinds of a list that are not here
    condition: NounPhrase | None = None  # the last one, and what fitted it then
    condition_seen: tuple[SceneObject, ...] = ()
    side: tuple[Relation, str] | None = None  # the last side that was said, and of what
    kept_in: str = ''  # the container of "keep the red ball in the bowl"
    left_alone: frozenset[str] = frozenset()  # "leave the red one": no "all" means them

    def all_mentioned(self) -> set[str]:
        return {name for group in self.mentioned for name in group}


def pronoun(phrase: NounPhrase, context: Discourse) -> tuple[str, ...]:
    """The objects that "it", "them" or "there" means. Raises Unclear."""
    held = context.scene.held
    found: tuple[str, ...] = ()
    if phrase.pronoun == 'held' or (phrase.pronoun == 'it' and not context.mentioned):
        found = (held,) if held else ()
    elif phrase.pronoun == 'there':
        found = tuple((context.landmarks or context.skipped)[-1:])
    else:
        found = context.mentioned[-1] if context.mentioned else ()
    if not found and phrase.pronoun == 'it':
        found = tuple(context.landmarks[-1:]) or _only_movable(context.scene)
    if phrase.quantity == 'both' and len(found) == 1:  # "the cube on the can, then both ..."
        found += tuple(n for n in reversed(context.landmarks) if n not in found and is_loose(
            next(o for o in context.scene.objects if o.name == n)))[:1]
    if not found or (phrase.pronoun == 'them' and len(found) < 2):
        asked = (f'{phrase.text} what?' if phrase.text in ('in', 'into', 'on', 'onto') else
                 f'what is {phrase.text or "it"!r}?')
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{asked} It means nothing here: no such objects '
                      'were named before and the gripper '
                      f'{"holds " + held if held else "is empty"}; {inventory(context.scene)}')
    if phrase.pronoun == 'it' and len(found) > 1:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one is {phrase.text!r}: '
                      f'{", ".join(found)}?', found)
    return found


def _only_movable(scene: Scene) -> tuple[str, ...]:
    """ "pick it up" where only one thing can be moved."""
    movable = tuple(o.name for o in scene.movable())
    return movable if len(movable) == 1 else ()


def inventory(scene: Scene) -> str:
    """What the scene has, in words."""
    return f'the scene has: {", ".join(scene.names()) or "no objects"}'
