"""A task for several things, of which some are not seen: the others need not wait for them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from replan_agent.domain.goal import SUPPORTED, Goal
from replan_agent.domain.hand import may_hold
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec, find_spec

from ..dictionary import KINDS, STATES, knows
from ..nouns import COLOURS, GROUPS, TOWERS
from ..phrases import Command, NounPhrase, Verb, is_bare
from .place_meaning import SUPPORTING

# In these words, with nouns, nothing is said about order, choice, number or time.
_PLAIN_WORDS = frozenset('put place move please the and in into inside on onto to their its '
                         ','.split())
# These say what something is like, or name anything: what is not seen may be meant, too.
_SAYS_LITTLE = frozenset((*'object thing thingy item piece one stuff round square flat container '
                          'clear free other same'.split(), *STATES, *GROUPS, *TOWERS))
_NO_THINGS = frozenset({Shape.TABLE, Shape.WALL, Shape.BOWL, Shape.BIN})
_LET_GO = ''


def is_in_any_order(task: str, commands: Sequence[Command]) -> bool:
    """Whether it says of several things, and no more, in or on what each should go."""
    phrases = [p for command in commands for p in (
        *command.things, *(p for place in command.places for p in place.landmarks))]
    nouns = {word for phrase in phrases for word in phrase.text.lower().split()}
    said = set(re.findall(r'[\w-]+|[^\w\s]', task.lower().rstrip(' .')))
    return (sum(len(command.things) for command in commands) > 1 and _PLAIN_WORDS | nouns >= said
            and all(map(_is_plain, commands)) and not any(map(_says_little, phrases)))


def _is_plain(command: Command) -> bool:
    """Whether it only says in or on what things should go."""
    return (command.verb is Verb.PUT and len(command.places) == 1
            and command.places[0].relation in SUPPORTING
            and command == Command(command.verb, command.text, command.things, command.places)
            and not any(phrase.plural for phrase in command.things))


def _says_little(phrase: NounPhrase) -> bool:
    """Whether it is more or less than a noun of its own: "it", "the red one", "the red"."""
    return (bool(phrase.pronoun) or not is_bare(phrase) or set(phrase.words) <= COLOURS
            or not _SAYS_LITTLE.isdisjoint(phrase.words))


def stand_in(said: str, commands: Sequence[Command], scene: Scene) -> SceneObject | None:
    """A thing for words that nothing in the scene fits, so that the task can be read as a whole.

    None if they do not name a thing that should move, or a container: what fits into it, or where
    it stays, nobody can say. Its place and its size mean nothing.
    """
    phrase = next((p for command in commands for p in command.things if p.text == said), None)
    if phrase is None or not knows(phrase, scene):
        return None
    colours = [word for word in phrase.words if word in COLOURS]
    kinds = [KINDS[word] for word in phrase.words if word in KINDS]
    thing = SceneObject('_'.join(phrase.words), Shape.BOX, (0.04,) * 3, Pose((0.0, 0.0, -1.0)),
                        ''.join(colours[:1]))
    odd = len(colours) > 1 or len(kinds) > 1 or any(
        kind.shapes & _NO_THINGS and not kind.fits(thing) for kind in kinds)
    return None if odd or thing.name in scene.names() else thing


def goals_to_begin_with(goals: Sequence[Goal], gone: Collection[str], scene: Scene
                        ) -> tuple[Goal, ...]:
    """The goals about other things than those; none if some goals may depend on each other.

    What moves is needed by no other goal, and what is gone needs no place that a seen thing takes.
    """
    known = {o.name: o for o in scene.objects}
    moved = {goal.object for goal in goals}
    plain = all(g.predicate in SUPPORTED and not g.negated and g.object and g.target in known
                and g.target not in moved for g in goals)
    seen = tuple(goal for goal in goals if goal.object not in gone)
    shared = {g.target or '' for g in goals if g.object in gone} & {g.target for g in seen}
    return seen if plain and all(known[name].is_container or known[name].shape is Shape.TABLE
                                 for name in shared) else ()


def may_hold_unseen(request: PlanRequest) -> bool:
    """Whether there may be something in the hand that the scene does not show.

    Pads that are neither open nor closed may hold it, unless the last thing that they did in this
    task was to let go, and each thing that they tried to take is seen.
    """
    scene = request.scene
    width = scene.arm.gripper_width if scene.arm is not None else None
    widest_m = scene.hand.max_width_m if scene.hand is not None else math.inf
    if scene.held or width is not None and not may_hold(width, widest_m):
        return False
    tried = [_taken(a.skill, a.args, request.skills) for a in request.prior_attempts]
    done = [_taken(d.step.skill, d.step.args, request.skills) for d in request.completed]
    in_doubt = [*filter(None, tried), *[name for name in done if name is not None][-1:]]
    return not in_doubt or not set(in_doubt) <= {_LET_GO, *scene.names()}


def _taken(skill: str, args: Mapping[str, Any], skills: Sequence[SkillSpec]) -> str | None:
    """What such a step takes in the hand; _LET_GO if it lets go; None if it does neither."""
    spec = find_spec(skills, skill)
    if spec is None or not spec.effect.changes_hand:
        return None
    return spec.effect.name('object', args) if spec.effect.takes else _LET_GO
