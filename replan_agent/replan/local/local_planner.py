# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning around a blocked step: finds a path of small actions, and judges each of them.

Everything is imagined first: the steps of each action must be possible, and at the end the blocked
step. If there is no such path within the limits, what comes closest is tried in reality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.agent.ports import Foresight, LocalSearch
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption, LocalRecord
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import TRUSTED, FailureCase, Fix, Remembered
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import find_spec
from replan_agent.geometry.judging import goals_met
from replan_agent.geometry.room.free_place import KeepAway
from replan_agent.geometry.support import footprint
from replan_agent.replan.diagnose.evidence import blockers

from .blocked_step import BlockedPlace, BlockedSet, BlockedStep, BlockedTake
from .decision import Visit, decide, same_state
from .expectations import as_imagined, can_be_undone, difference
from .local_skills import LocalSkills
from .options import KEEP_CLEAR_M, Proposal
from .path_search import LIMITS, Foreseeing, FoundOptions, OptionLimits, OptionSearch
from .score import DONE, pick_loss, score_of

NEUTRAL, DISTRUSTED = 0.45, 0.35  # weights of options: not remembered, and tried last
TRUST = 4.0  # points that trust is worth, and that distrust costs
NO_WAY_BACK = 0.7  # points for an option that cannot be undone
OF_A_GOAL = 1.0  # points for moving what a goal is about
UNSURE = 3.0  # points for a row: how it ends is less sure, and more is moved
PER_STEP = 0.1
BLOCKED_ITSELF = 0.4  # share of what is missing to take the object that is in the way
LEAST_GAIN = 0.05  # points that the best action without a path must gain


_Asked = tuple[str, frozenset[str], frozenset[str], frozenset[str], frozenset[str]]


class ForesightLocalPlanner:
    """The LocalPlanner over a Foresight: one search around each blocked step."""

    def __init__(self, foresight: Foresight, limits: OptionLimits = LIMITS) -> None:
        self._foresight, self._limits = foresight, limits
        self._hopeless: list[tuple[_Asked, Scene]] = []  # without an option, in this task
        self.saw_all = False  # the last `begin` ended without an option and not at its limits

    def begin(self, step: Step, case: FailureCase, remembered: Sequence[Remembered],
              ctx: Context, earlier: Sequence[LocalRecord] = ()) -> LocalSearch | None:
        """A search around the step, or None if a few small actions cannot help.

        `earlier` are the local plannings of the same task: what failed there is not tried again.
        """
        scene, self.saw_all = case.after or case.before, False
        blocked = blocked_step(step, case, scene, LocalSkills(self._foresight.specs()))
        if blocked is None:
            return None
        if not earlier:
            self._hopeless = []
        asked = _asked(step, case)
        self.saw_all = any(asked == other and same_state(scene, seen)
                           for other, seen in self._hopeless)
        if self.saw_all:
            return None
        search = ForesightSearch(blocked, self._foresight, remembered, case.left_alone,
                                 case.goals, self._limits, earlier)
        if search.next_option(scene, ctx) is None:
            self.saw_all = search.saw_all
            self._hopeless += [(asked, scene)] if search.saw_all else []
            return None
        return search


def _asked(step: Step, case: FailureCase) -> _Asked:
    """What the answer of a search depends on, besides the scene."""
    tried = {str((dict(a.args), a.evidence.get('grasp'), a.failed_stage))
             for a in (*case.earlier, case.attempt)}
    return (step.call, frozenset(blockers(case)), case.left_alone,
            frozenset(map(str, case.goals)), frozenset(tried))


def blocked_step(step: Step, case: FailureCase, scene: Scene, skills: LocalSkills,
                 ) -> BlockedStep | None:
    """The step as something to plan around; None if there is no plan for its skill."""
    skill = skills.skill_for(step)
    if skill is None:
        return None
    thing, carried = scene.get(skill.acts_on(step.args) or ''), scene.get(case.before.held or '')
    named, later = blockers(case), later_places(case, scene)
    if skill.effect.takes and thing is not None:
        return BlockedTake(step, case, skill, skills, named, later)
    if skill.effect.state and thing is not None:
        tool = case.before.held if skill.needs_held else None
        return BlockedSet(step, skill.effect, skills, named, case.before, later, tool)
    if skill.effect.puts and carried is not None:
        return BlockedPlace(step, skill.effect, skills, named, carried.name, later)
    return None


def later_places(case: FailureCase, scene: Scene) -> KeepAway:
    """The places that the goals of the task need, as circles to keep clear."""
    parts = [part for goal in case.goals for part in goal.named(scene) if part.position]
    things = [(part.position, scene.get(part.object or '')) for part in parts]
    return tuple((at, (footprint(thing) if thing else 0.0) + KEEP_CLEAR_M)
                 for at, thing in things if at is not None)


class ForesightSearch:
    """The LocalSearch around one step. No option moves what is `left_alone`.

    `saw_all`: the last search looked at every option; it did not end at its limits.
    """

    def __init__(self, blocked: BlockedStep, foresight: Foresight,
                 remembered: Sequence[Remembered] = (), left_alone: frozenset[str] = frozenset(),
                 goals: Sequence[Goal] = (), limits: OptionLimits = LIMITS,
                 earlier: Sequence[LocalRecord] = ()) -> None:
        self._blocked, self._left_alone, self._limits = blocked, left_alone, limits
        self._goals = [g for g in goals if g.predicate not in (Predicate.HOME, Predicate.HOLDING)]
        self._foresight = foresight
        self._trust = {r.fix.option: r.weight for r in reversed(remembered) if r.fix.option}
        self._history: list[Visit] = []
        self._tried: list[tuple[Scene, str]] = []
        self._wrong = {node.option.way for record in earlier
                       for node in record.nodes if node.surprise
                       or (node.reverted_to and record.step.call == blocked.step.call)}
        self._scores: dict[str, float] = {}
        self._found: dict[str, Proposal | None] = {}  # by scene; each scene is searched once
        self._options: list[tuple[Scene, tuple[str, ...]]] = []  # what there was in each state
        self.saw_all = False
        self._path: list[Proposal] = []  # what follows on the path that was found

    @property
    def goal(self) -> str:
        return self._blocked.goal

    def score(self, scene: Scene, ctx: Context) -> float:
        """10 if the step is possible; else less, the farther the geometry is from it."""
        if scene.scene_id not in self._scores:
            met = self._foreseeing(ctx).can(self._blocked.step, scene)
            self._scores[scene.scene_id] = DONE if met else score_of(self._blocked.loss(scene))
        return self._scores[scene.scene_id]

    def next_option(self, scene: Scene, ctx: Context) -> LocalOption | None:
        """The most promising option that was not tried in this state."""
        if scene.scene_id not in self._found:
            self._found[scene.scene_id] = self._search(scene, ctx)
        found = self._found[scene.scene_id]
        return None if found is None else self._declared(found.option)

    def judge(self, number: str, option: LocalOption, before: Scene, after: Scene,
              succeeded: bool, ctx: Context) -> LocalNode:
        """The outcome of the option, and what to do next."""
        self._tried.append((before, option.name))
        proposal = self._found.pop(before.scene_id, None)
        self._found.pop(after.scene_id, None)
        met, score_before, score_after = self._scored(option, before, after, succeeded, ctx)
        surprise = self._surprise(option, proposal, before, after, succeeded, met)
        progress = 0.0 if same_state(before, after) and not met else score_after - score_before
        self._history.append(Visit(option.name, before, after, progress))
        rest = self._path_left(after)
        following = None if met else self.next_option(after, ctx)
        on_path = bool(rest and following and following.name == rest[0].option.name)
        decision, why = decide(self._history, met, following is not None, on_path)
        if decision is Decision.REVERT:
            self._history.pop()  # as if it had not happened
            if same_state(before, after):
                option = replace(option, undo=())  # nothing happened, so there is nothing to undo
            elif not self.can_undo(option, after, ctx):
                option, why = replace(option, undo=None), f'{why}, and it cannot be undone'
        known = next((names for state, names in self._options if same_state(state, before)), ())
        tried = {name for state, name in self._tried if same_state(state, before)}
        return LocalNode(number, option, score_before, score_after, succeeded, decision, why,
                         surprise=surprise, exploration_options=known,
                         explored=len(tried & set(known)))

    def can_undo(self, option: LocalOption, scene: Scene, ctx: Context) -> bool:
        """Whether the steps that undo the option are possible now."""
        return option.undo is not None and can_be_undone(
            option.undo, scene, LocalSkills(self._foresight.specs()), self._foreseeing(ctx).can)

    def _scored(self, option: LocalOption, before: Scene, after: Scene, succeeded: bool,
                ctx: Context) -> tuple[bool, float, float]:
        """Whether the goal is met now, and the scores before and after."""
        score_before, score_after = self.score(before, ctx), self.score(after, ctx)
        met = score_after >= DONE and succeeded
        if option.changes:
            changed = Fix('', option.changes).applied_to(self._blocked.step)
            met = self._foreseeing(ctx).can(changed, after)
            score_after = DONE if met else score_after
        return met, score_before, score_after

    def _surprise(self, option: LocalOption, proposal: Proposal | None, before: Scene,
                  after: Scene, succeeded: bool, met: bool) -> str:
        """What is seen other than imagined: then it is not imagined like this again."""
        if not option.steps:
            return ''
        found = difference(proposal.leads_to, after, before) if proposal else ''
        if not found and not met and option.later == (self._blocked.step,):
            found = f'{self._blocked.step.skill} is still not possible'
        if not succeeded:
            found = f'{option.name} did not succeed' + (f'; {found}' if found else '')
        if found:
            self._wrong.add(option.way)
            self._path = []
        return found

    def _search(self, scene: Scene, ctx: Context) -> Proposal | None:
        """The next action on the path, or the first one of a new path, or what comes closest."""
        foreseeing = self._foreseeing(ctx)
        path = self._path_left(scene)
        if path and all(foreseeing.can(step, scene) for step, _ in path[0].checks[:1]):
            self._path = path[1:]
            return self._ready(path, ctx)
        found = self._look_ahead(scene, foreseeing)
        self.saw_all = found.complete
        if not found.path:
            return found.best if not found.complete else None
        self._path = list(found.path[1:])
        return self._ready(found.path, ctx)

    def _look_ahead(self, scene: Scene, foreseeing: Foreseeing) -> FoundOptions:
        ctx, step = foreseeing.ctx, self._blocked.step
        possible = self.score(scene, ctx) >= DONE
        tried = {name for state, name in self._tried if same_state(state, scene)}

        def proposals(then: Scene) -> list[Proposal]:
            kinds = (self._blocked.variations if possible and then is scene
                     else self._blocked.proposals)
            met = self._goals_met(then)
            return [p for p in kinds(then, ctx) if self._is_allowed(p, then)
                    and not (then is scene and p.option.name in tried)
                    and all(a >= b for a, b in zip(self._goals_met(p.leads_to), met))]

        if not any(same_state(state, scene) for state, _ in self._options):
            names = dict.fromkeys(p.option.name for p in proposals(scene))
            self._options.append((scene, tuple(names)))

        def is_met(then: Scene) -> bool:
            return self._blocked.needs_a_look or (
                not self._blocked.is_hopeless(then) and foreseeing.can(step, then))

        def loss(then: Scene) -> float:
            ctx.check()  # it looks at every object
            return self._blocked.loss(then)

        return OptionSearch(proposals, loss, self._price, is_met, foreseeing).find(
            scene, LEAST_GAIN)

    def _goals_met(self, scene: Scene) -> tuple[int, int]:
        """How many goals are met in a scene, and how many after the blocked step as well."""
        return goals_met(self._goals, scene), goals_met(self._goals, self._blocked.done(scene))

    def _path_left(self, scene: Scene) -> list[Proposal]:
        """What is left of the path, if the scene is as it was imagined for it."""
        if not self._path or not as_imagined(self._path[0].starts_in, scene):
            return []
        return self._path

    def _ready(self, path: Sequence[Proposal], ctx: Context) -> Proposal:
        """The first action of a path, with what follows; without an undo that is not possible."""
        first, rest = path[0], path[1:]
        option = replace(first.option, later=(
            *(step for p in rest for step in p.option.steps), self._blocked.step))
        if option.undo and not self.can_undo(option, first.leads_to, ctx):
            option = replace(option, undo=None)
        return replace(first, option=option)

    def _is_allowed(self, proposal: Proposal, scene: Scene) -> bool:
        """Whether it moves nothing that stays, and this way went as imagined so far."""
        option, specs = proposal.option, self._foresight.specs()
        handled = {spec.moves(step.args) for step in option.steps
                   if (spec := find_spec(specs, step.skill)) is not None}
        moved = [name for name in self._left_alone
                 if name in handled or proposal.leads_to.get(name) != scene.get(name)]
        return not moved and option.way not in self._wrong

    def _price(self, proposal: Proposal) -> float:
        """Points for an option: less if memory trusts it; more without a way back, for a row, if a
        goal that it does not meet is about what it moves, or if that is blocked itself."""
        option, start = proposal.option, proposal.starts_in
        thing = start.get(option.object) if start and option.kind == 'clear_obstacle' else None
        hard = pick_loss(thing, start) if thing and start else 0.0
        weight = self._trust.get(option.kind, NEUTRAL)
        price = -TRUST * weight if weight > TRUSTED else TRUST * (weight < DISTRUSTED)
        named = {name for goal in self._goals for part in goal.named(proposal.leads_to)
                 for name in part.names}
        if start and goals_met(self._goals, proposal.leads_to) > goals_met(self._goals, start):
            named = set()
        return (price + NO_WAY_BACK * (option.undo is None) + OF_A_GOAL * (option.object in named)
                + UNSURE * (option.kind == 'push_row')
                + PER_STEP * len(option.steps) + BLOCKED_ITSELF * hard)

    def _declared(self, option: LocalOption) -> LocalOption:
        """The option itself. Raises ValueError if it undoes a step that is not undoable."""
        for step in option.steps:
            spec = find_spec(self._foresight.specs(), step.skill)
            if option.undo is not None and spec is not None and not spec.undoable:
                raise ValueError(f'{option.name} promises to undo {step.skill}, which is not '
                                 'undoable')
        return option

    def _foreseeing(self, ctx: Context) -> Foreseeing:
        return Foreseeing(self._foresight, ctx, self._limits)
