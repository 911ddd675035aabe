"""Local planning around a blocked step: proposes small actions, best first, and judges them.

Each option is imagined first: its own steps must be possible, and the blocked step should then be
possible too, or at least closer to possible. The loop tries what is left in reality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.agent.ports import Foresight, LocalSearch
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate, goals_met
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import TRUSTED, FailureCase, Fix, Remembered
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import find_spec
from replan_agent.replan.diagnose.evidence import blockers

from .blocked_step import BlockedPlace, BlockedStep, BlockedTake
from .decision import NOTHING, Visit, decide, same_state
from .local_skills import LocalSkills
from .options import Proposal
from .score import DONE

MOST_FORESEEN = 16  # options to imagine before the best so far is used
NEUTRAL, DISTRUSTED = 0.45, 0.35  # weights of options: not remembered, and tried last


class ForesightLocalPlanner:
    """The LocalPlanner over a Foresight: one search around each blocked step."""

    def __init__(self, foresight: Foresight) -> None:
        self._foresight = foresight

    def begin(self, step: Step, case: FailureCase, remembered: Sequence[Remembered],
              ctx: Context) -> LocalSearch | None:
        """A search around the step, or None if a few small actions cannot help."""
        scene = case.after or case.before
        blocked = blocked_step(step, case, scene, LocalSkills(self._foresight.specs()))
        if blocked is None:
            return None
        search = ForesightSearch(blocked, self._foresight, remembered, case.left_alone,
                                 case.goals)
        return search if search.next_option(scene, ctx) is not None else None


def blocked_step(step: Step, case: FailureCase, scene: Scene, skills: LocalSkills,
                 ) -> BlockedStep | None:
    """The step as something to plan around; None if there is no plan for its skill."""
    skill = skills.skill_for(step)
    if skill is None:
        return None
    thing = scene.get(skill.acts_on(step.args) or '')
    if skill.effect.takes and thing is not None:
        return BlockedTake(step, case, skill, skills, blockers(case))
    carried: SceneObject | None = scene.get(case.before.held or '')
    if skill.effect.puts and carried is not None:
        return BlockedPlace(step, skill.effect, skills, blockers(case), carried.name)
    return None


class ForesightSearch:
    """The LocalSearch around one step. No option moves what is `left_alone`."""

    def __init__(self, blocked: BlockedStep, foresight: Foresight,
                 remembered: Sequence[Remembered] = (), left_alone: frozenset[str] = frozenset(),
                 goals: Sequence[Goal] = ()) -> None:
        self._blocked = blocked
        self._left_alone = left_alone
        self._goals = [g for g in goals if g.predicate not in (Predicate.HOME, Predicate.HOLDING)]
        self._foresight = foresight
        self._trust = {r.fix.option: r.weight for r in reversed(remembered) if r.fix.option}
        self._undoable = {spec.name: spec.undoable for spec in foresight.specs()}
        self._history: list[Visit] = []
        self._tried: list[tuple[Scene, str]] = []
        self._scores: dict[str, float] = {}
        self._found: dict[str, LocalOption | None] = {}  # by scene; each scene is searched once

    @property
    def goal(self) -> str:
        return self._blocked.goal

    def score(self, scene: Scene, ctx: Context) -> float:
        """10 if the step is possible; else less, the farther the geometry is from it."""
        if scene.scene_id not in self._scores:
            met = self._can(self._blocked.step, scene, ctx)
            self._scores[scene.scene_id] = DONE if met else self._blocked.score(scene)
        return self._scores[scene.scene_id]

    def next_option(self, scene: Scene, ctx: Context) -> LocalOption | None:
        """The most promising option that was not tried in this state."""
        if scene.scene_id not in self._found:
            self._found[scene.scene_id] = self._search(scene, ctx)
        return self._found[scene.scene_id]

    def judge(self, number: str, option: LocalOption, before: Scene, after: Scene,
              succeeded: bool, ctx: Context) -> LocalNode:
        """The outcome of the option, and what to do next."""
        self._tried.append((before, option.name))
        self._found.pop(before.scene_id, None)
        self._found.pop(after.scene_id, None)
        score_before, score_after = self.score(before, ctx), self.score(after, ctx)
        met = score_after >= DONE and succeeded
        if option.changes:
            changed = Fix('', option.changes).applied_to(self._blocked.step)
            met = self._can(changed, after, ctx)
            score_after = DONE if met else score_after
        self._history.append(Visit(option.name, before, after, score_after - score_before))
        left = not met and self.next_option(after, ctx) is not None
        decision, why = decide(self._history, met, left)
        if decision is Decision.REVERT:
            self._history.pop()  # as if it had not happened
            if same_state(before, after):
                option = replace(option, undo=())  # nothing happened, so there is nothing to undo
            elif option.undo is None:
                why += ', and it cannot be undone'
        return LocalNode(number, option, score_before, score_after, succeeded, decision, why)

    def _search(self, scene: Scene, ctx: Context) -> LocalOption | None:
        """The first option that should make the step possible; else the one that comes closest."""
        now, best, best_gain = self._blocked.score(scene), None, NOTHING
        done: set[str] = set()
        for proposal in self._ranked(scene, ctx):
            option, then = proposal.option, proposal.leads_to
            if len(done) >= MOST_FORESEEN:
                break
            if option.name in done or not self._feasible(proposal, done, ctx):
                continue
            done.add(option.name)
            if option.changes or self._can(self._blocked.step, then, ctx):
                return self._declared(option)
            gain = self._blocked.score(then) - now
            if gain > best_gain:
                best, best_gain = option, gain
        return None if best is None else self._declared(best)

    def _feasible(self, proposal: Proposal, done: set[str], ctx: Context) -> bool:
        """Whether the option's own steps are possible. What fails first fails in any variant."""
        for k, (step, start) in enumerate(proposal.checks):
            if not self._can(step, start, ctx):
                if k == 0:
                    done.add(proposal.option.name)
                return False
        return True

    def _ranked(self, scene: Scene, ctx: Context) -> list[Proposal]:
        """Proposals not tried in this state, ranked: trusted by memory, undoable, near.

        None of them undoes a goal of the task that is met.
        """
        possible = self.score(scene, ctx) >= DONE
        found = (self._blocked.variations if possible else self._blocked.proposals)(scene, ctx)
        tried = {name for state, name in self._tried if same_state(state, scene)}

        def rank(proposal: Proposal) -> tuple[float, bool, float, int]:
            ctx.check()  # a score looks at every object
            weight = self._trust.get(proposal.option.kind, NEUTRAL)
            trust = weight if weight > TRUSTED else (-1.0 if weight < DISTRUSTED else 0.0)
            return (-trust, proposal.option.undo is None,
                    -round(self._blocked.score(proposal.leads_to), 1), len(proposal.option.steps))

        met = goals_met(self._goals, scene)
        return sorted((p for p in found if p.option.name not in tried
                       and not self._moves_what_stays(p.option)
                       and goals_met(self._goals, p.leads_to) >= met), key=rank)

    def _moves_what_stays(self, option: LocalOption) -> bool:
        specs = self._foresight.specs()
        moved = {spec.moves(step.args) for step in option.steps
                 if (spec := find_spec(specs, step.skill)) is not None}
        return bool(moved & self._left_alone)

    def _declared(self, option: LocalOption) -> LocalOption:
        """The option itself. Raises ValueError if it undoes a step that is not undoable."""
        for step in option.steps:
            if option.undo is not None and not self._undoable.get(step.skill, True):
                raise ValueError(f'{option.name} promises to undo {step.skill}, which is not '
                                 'undoable')
        return option

    def _can(self, step: Step, scene: Scene, ctx: Context) -> bool:
        ctx.check()
        return self._foresight.foresee(step, scene, ctx).success
