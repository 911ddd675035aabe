# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Rehearsal port that also tells how likely each plan works."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from replan_agent.agent.ports import Foresight, Rehearsal
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.text.shown_text import told

from .chance import LIKELIEST, Chance, Collected, unknown
from .chance_recovery import LikeliestRecovery
from .covered import covered
from .sampled_twin import Ran, Trial, skills_of
from .sampling import MOST, checked_mark
from .twins import twins
from .uncertainty import AUTO, NAMES, NEVER_SEEN, Uncertainty, own_file
from .ways import changed_steps

MOST_CHANGES = 3  # that are tried against one failure
OWN = 'agent', 'local'  # who plans steps that the agent takes by itself
AFTER_A_FAILURE = 'something failed before, and may fail again for the same reason'


@dataclass(frozen=True)
class ChanceTeller:
    """Tells the chance of a plan, from twins of the scene in which it was made.

    `mark` is what a person wants to know: whether the chance is at least that. `jobs` processes
    run the twins; the result is the same with any number. `changes`: it also tells what changes
    of the steps do to the failures. `watched` is given all twins that run, how many they may be,
    and what they are for; it gives them back.
    """

    config: Config
    mark: float | None = None
    most: int = MOST
    seed: int = 0
    jobs: int = 1
    changes: bool = False
    watched: Callable[[Iterable[Ran], int, str], Iterable[Ran]] = lambda ran, most, what: ran

    def tell(self, plan: Plan, scene: Scene, ctx: Context | None = None) -> Chance:
        """The chance, or why it is not known."""
        known = what_is_unsure(self.config)
        if known is None:
            return unknown(f'nobody measured what the perception {self.config.perception} is '
                           'unsure of')
        steps = [step for step in plan.steps if not step.is_replan]
        outside = AFTER_A_FAILURE if has_failed(plan) else covered().outside(
            plan, scene, self.config, known)
        if outside or not steps:
            return unknown(outside or 'the plan has no step')
        inside = replace(self.config, agent=replace(self.config.agent, chance=''))
        found = Collected(covered().prior, self.mark, self.most)
        trial, ctx = Trial(inside, plan, scene, known, self.seed), ctx or Context()
        try:
            found.take(self.watched(twins(trial, range(self.most), self.jobs, ctx), self.most,
                                    'twins'))
            return replace(
                found.chance(plan, self._changed(trial, found.ran, ctx) if self.changes else {}),
                seed=self.seed, unsure=known.source, only=covered().only(self.config))
        except RehearsalError as error:
            return unknown(str(error))

    def _changed(self, trial: Trial, ran: Sequence[Ran], ctx: Context
                 ) -> dict[tuple[int, str], tuple[str, int]]:
        """For each failure the change that helps most where the plan fails so, as it is told."""
        steps = [step for step in trial.plan.steps if not step.is_replan]
        found = {}
        for done, why in dict.fromkeys((one.steps_done, one.failure) for one in ran
                                       if not one.worked):
            failing = [number for number, one in enumerate(ran)
                       if (one.steps_done, one.failure) == (done, why)]
            index, still = min(done, len(steps) - 1), {}
            for step in islice(changed_steps(steps[index], why, skills_of(self.config).specs()),
                               MOST_CHANGES):
                other = replace(trial, plan=replace(trial.plan, steps=(
                    *steps[:index], step, *steps[index + 1:])))
                change = _change(steps[index], step)
                still[change] = sum(not one.worked for one in self.watched(
                    twins(other, failing, self.jobs, ctx), len(failing), f'with {change}'))
            best = min(still, key=lambda change: still[change], default='')
            if still.get(best, len(failing)) < len(failing):
                found[done, why] = best, still[best]
        return found


class ChanceRehearsal:
    """Another rehearsal (None: none), and the chance of the plans that pass it.

    A first step that cannot succeed is refused as the arm would refuse it, before any twin runs:
    `foresight` proves it (None: nothing is proved). The chance is only told: no plan is refused
    for it. Without a `teller` none is told. The agent's own steps have none: they are a part of
    the way, and the goals do not judge them.
    """

    def __init__(self, teller: ChanceTeller | None, inner: Rehearsal | None = None,
                 foresight: Foresight | None = None) -> None:
        self._teller, self._inner, self._foresight = teller, inner, foresight

    def is_due(self, plan: Plan, scene: Scene) -> bool:
        return not _is_own(plan, scene) or self._other_is_due(plan, scene)

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """The result of the other one, with the chance. Raises RehearsalError."""
        started = time.perf_counter()
        result = RehearsalResult(True, 0.0)
        if self._inner is not None and self._other_is_due(plan, scene):
            result = self._inner.rehearse(plan, scene, ctx)
        if not result.ok or _is_own(plan, scene):
            return result
        first = next((step for step in plan.steps if not step.is_replan), None)
        if self._foresight is not None and first is not None:
            found = self._foresight.foresee(first, scene, ctx)
            if found.proved_impossible:
                return RehearsalResult(False, time.perf_counter() - started, first, found)
        if self._teller is None:
            return result
        chance = self._teller.tell(plan, scene, ctx)
        return replace(result, duration_s=time.perf_counter() - started, chance=chance.as_dict())

    def _other_is_due(self, plan: Plan, scene: Scene) -> bool:
        return self._inner is not None and self._inner.is_due(plan, scene)


def _is_own(plan: Plan, scene: Scene) -> bool:
    """Whether these are steps that the agent takes by itself: a repair, a look, a put-down.

    What a person wants changed in a plan, the agent changes too; that is a whole plan.
    """
    changed = plan.cause is PlanCause.HUMAN and scene.held is None
    return plan.planner in OWN and not changed


def has_failed(plan: Plan) -> bool:
    """Whether something failed in its task before. The agent tells it with every plan."""
    return plan.cause is PlanCause.ERROR or bool(plan.context.get('attempts'))


def _change(step: Step, changed: Step) -> str:
    """'force=70, speed=0.25'."""
    return ', '.join(f'{name}={told(value)}' for name, value in changed.args.items()
                     if step.args.get(name) != value)


def with_chance(config: Config, parts: Mapping[str, Any], foresight: Foresight | None = None
                ) -> dict[str, Any]:
    """What `agent.chance` asks for: the agent's `parts` with those that know the chance.

    With the planner `likeliest`, chances also decide what follows a failed step.
    Raises ConfigError if its file is wrong, or if twins cannot decide `approval.ask_below`.
    """
    known = what_is_unsure(config)
    mark = checked_mark(config.approval.ask_below, 'approval.ask_below', covered().prior)
    teller = ChanceTeller(config, mark if config.approver == 'adaptive' else None)
    found = {**parts, 'rehearsal': ChanceRehearsal(
        teller, parts['rehearsal'], foresight if config.agent.repeat_guard else None)}
    if config.planner == LIKELIEST and known is not None and parts['reflector'] is not None:
        both = LikeliestRecovery(config, known, parts['policy'], parts['reflector'])
        found |= {'policy': both, 'reflector': both}
    return found


def what_is_unsure(config: Config, named_by: str = 'agent.chance') -> Uncertainty | None:
    """What was measured for the perception, or is in the file; None: nothing was measured.

    Raises ConfigError if there is no such file; it says who names it.
    """
    name = config.agent.chance
    if name not in ('', AUTO):
        path = own_file(name)
        if path is None and name not in NAMES:
            raise ConfigError(f'{named_by}: {name!r} is no file, nor one of: '
                              f'{", ".join((AUTO, *NAMES))}')
        return Uncertainty.read(path) if path else Uncertainty.of(name)
    if config.perception == GROUND_TRUTH:  # it knows all but what no camera sees
        return Uncertainty.of(NEVER_SEEN)
    return Uncertainty.of(config.perception)
