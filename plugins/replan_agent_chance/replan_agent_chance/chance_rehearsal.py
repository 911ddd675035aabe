"""The Rehearsal port that also tells how likely each plan works."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent.agent.ports import Rehearsal
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.domain.task_view import RehearsalResult

from .chance import Chance, Collected, unknown
from .covered import covered
from .sampled_twin import Trial
from .sampling import MOST
from .twins import twins
from .uncertainty import MEASURED, NEVER_SEEN, Uncertainty

AUTO = 'auto'
OWN = 'agent', 'local'  # who plans steps that the agent takes by itself


@dataclass(frozen=True)
class ChanceTeller:
    """Tells the chance of a plan, from twins of the scene in which it was made.

    `mark` is what a person wants to know: whether the chance is at least that. `jobs` processes
    run the twins; the result is the same with any number.
    """

    config: Config
    mark: float | None = None
    most: int = MOST
    seed: int = 0
    jobs: int = 1

    def tell(self, plan: Plan, scene: Scene, ctx: Context | None = None) -> Chance:
        """The chance, or why it is not known."""
        known = what_is_unsure(self.config)
        if known is None:
            return unknown(f'nobody measured what the perception {self.config.perception} is '
                           'unsure of')
        steps = [step for step in plan.steps if not step.is_replan]
        outside = covered().outside(plan, scene, self.config)
        if outside or not steps:
            return unknown(outside or 'the plan has no step')
        inside = replace(self.config, agent=replace(self.config.agent, chance=''))
        found = Collected(covered().prior, self.mark, self.most)
        try:
            found.take(twins(Trial(inside, plan, scene, known, self.seed), self.most, self.jobs,
                             ctx or Context()))
        except RehearsalError as error:
            return unknown(str(error))
        return found.chance(plan)


class ChanceRehearsal:
    """Another rehearsal (None: none), and the chance of the plans that pass it.

    The chance is only told: no plan is refused for it. The agent's own steps have none: they are
    a part of the way, and the goals do not judge them.
    """

    def __init__(self, teller: ChanceTeller, inner: Rehearsal | None = None) -> None:
        self._teller, self._inner = teller, inner

    def is_due(self, plan: Plan, scene: Scene) -> bool:
        return plan.planner not in OWN or self._other_is_due(plan, scene)

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """The result of the other one, with the chance. Raises RehearsalError."""
        started = time.perf_counter()
        result = RehearsalResult(True, 0.0)
        if self._inner is not None and self._other_is_due(plan, scene):
            result = self._inner.rehearse(plan, scene, ctx)
        if not result.ok or plan.planner in OWN:
            return result
        chance = self._teller.tell(plan, scene, ctx)
        return replace(result, duration_s=time.perf_counter() - started, chance=chance.as_dict())

    def _other_is_due(self, plan: Plan, scene: Scene) -> bool:
        return self._inner is not None and self._inner.is_due(plan, scene)


def with_chance(config: Config, inner: Rehearsal | None) -> ChanceRehearsal:
    """What `agent.chance` asks for. Raises ConfigError if its file is wrong."""
    what_is_unsure(config)
    return ChanceRehearsal(ChanceTeller(config, config.approval.ask_below or None), inner)


def what_is_unsure(config: Config) -> Uncertainty | None:
    """What was measured for the perception, or is in the file; None: nothing was measured."""
    name = config.agent.chance
    if name not in ('', AUTO):
        path = Path(name)
        if not path.is_file() and not (MEASURED / f'{name}.yaml').is_file():
            names = ', '.join(sorted(p.stem for p in MEASURED.glob('*camera*.yaml')))
            raise ConfigError(f'agent.chance: {name!r} is no file, nor one of: {AUTO}, {names}')
        return Uncertainty.read(path) if path.is_file() else Uncertainty.of(name)
    if config.perception == GROUND_TRUTH:  # it knows all but what no camera sees
        return Uncertainty.of(NEVER_SEEN)
    return Uncertainty.of(config.perception)
