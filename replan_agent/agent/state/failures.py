# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What failed in a task, why, and what is proved impossible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.local_planning import LocalRecord
from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.recovery import FailureCase, Reflection, Remembered, Response
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.geometry.steps.proofs import proof_against


@dataclass
class Failed:
    """A failed attempt, why it failed for people, and the number of steps executed before."""

    attempt: Attempt
    why: str
    after_steps: int


@dataclass
class Failures:
    """The failed attempts of a task. DIAGNOSE adds them.

    `case` is the current failure, `reflection` and `remembered` are about it. `after_steps` is
    the number of executed steps at the last failure. `response` is the policy's decision about
    the step that ended a plan. `local` are the local plannings. `attempts` are also those of
    earlier runs, `told` are those of this one, with their whys.
    """

    repeat_guard: bool  # whether a proof blocks a call (`geometry/steps/proofs.py`)
    attempts: list[Attempt] = field(default_factory=list)
    case: FailureCase | None = None
    after_steps: int = 0
    response: Response | None = None
    remembered: tuple[Remembered, ...] = ()
    reflections: list[Reflection] = field(default_factory=list)
    reflection: Reflection | None = None
    local: list[LocalRecord] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    told: list[Failed] = field(default_factory=list)

    @property
    def own(self) -> list[Attempt]:
        """The attempts of this run. The world may have changed since those of an earlier one."""
        return [failed.attempt for failed in self.told]

    @property
    def current(self) -> Attempt | None:
        """The attempt that matters: of the step itself, not of actions around it."""
        if self.case is not None:
            return self.case.attempt
        return self.attempts[-1] if self.attempts else None

    @property
    def why(self) -> str:
        """Why the last attempt failed, for people: `the target is 1.20 m from the base, ...`."""
        if self.reflection is not None:
            return self.reflection.root_cause
        return self.current.reason_detail if self.current else ''

    @property
    def sentence(self) -> str:
        """The last attempt in one sentence: `pick failed: unreachable — IK did not ...`."""
        last = self.current
        if last is None:
            return 'no attempt was made'
        what = last.stage.value if last.is_refused or not last.skill else last.skill
        return f'{what} failed: {last.reason} — {last.reason_detail}'

    def add(self, case: FailureCase, steps: int) -> None:
        """Add the attempt of a case, which is the current one now, after so many steps."""
        self.attempts.append(case.attempt)
        self.told.append(Failed(case.attempt, case.attempt.reason_detail, steps))
        self.case, self.reflection = case, None
        if case.attempt.stage is AttemptStage.EXECUTE:
            self.after_steps = steps

    def explain(self, reflection: Reflection) -> bool:
        """Take what is said about the current failure. Whether it is new."""
        self.reflection = reflection
        for failed in (f for f in self.told if self.case and f.attempt is self.case.attempt):
            failed.why = reflection.root_cause
        is_new = self.reflections[-1:] != [reflection]
        self.reflections += [reflection] if is_new else []
        return is_new

    @contextmanager
    def keeping_current(self) -> Iterator[None]:
        """Failures in this block are recorded but do not replace the current failure."""
        kept = self.case, self.remembered, self.after_steps, self.reflection
        try:
            yield
        finally:
            self.case, self.remembered, self.after_steps, self.reflection = kept

    def note_proof(self, step: Step, scene: Scene, result: SkillResult) -> None:
        """Remember a failure that is a proof, so that the arm does not try it again."""
        if result.proved_impossible and proof_against(step, scene, None, self.proofs) is None:
            self.proofs.append(Proof(step, scene, result))

    def earlier_proof(self, step: Step, scene: Scene, skill: SkillSpec | None,
                      ) -> SkillResult | None:
        """The result that proved this call of this skill impossible in this scene, or None."""
        proof = proof_against(step, scene, skill, self.proofs) if self.repeat_guard else None
        return proof.result if proof else None
