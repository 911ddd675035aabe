# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Looks again until a look shows something, and gives up after a while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from replan_agent.agent.ports import Perception
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError, PerceptionGone
from replan_agent.domain.scene import Scene
from replan_agent.geometry.out_of_sight import unseen

from .wrapped import WrappedPerception

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 4.0  # each pause is twice as long as the one before, up to this

Pause = Callable[[float, Context], None]


def wall_pause(seconds: float, ctx: Context) -> None:
    """Wait; raises what `ctx` raises."""
    ctx.cancel.wait(max(0.0, min(seconds, ctx.remaining_s())))
    ctx.check()


class PatientPerception(WrappedPerception):
    """Wraps another Perception. Its scenes are never stale.

    If a look fails or shows a stale scene, it looks again, until `lost_after_s` have passed. Then
    it raises PerceptionError. After that, each look is tried only once, until one succeeds.
    PerceptionGone is raised at once. `pause` lets the robot's time pass.
    """

    def __init__(self, perception: Perception, lost_after_s: float,
                 pause: Pause = wall_pause) -> None:
        super().__init__(perception)
        self._lost_after_s, self._pause, self._is_lost = lost_after_s, pause, False
        self._absent: set[str] = set()

    def forget(self, name: str) -> None:
        """The fingers closed without it there: it is in no scene until a look shows it."""
        self._absent.add(name)

    def observe(self, ctx: Context) -> Scene:
        """The scene now. Raises PerceptionError if no look succeeds in time."""
        began, paused_s, failures, pause_s = ctx.now(), 0.0, 0, FIRST_PAUSE_S
        while True:
            scene, why = self._one_look(ctx)
            failed_s = max(paused_s, ctx.now() - began)  # two clocks: never their sum
            if scene is not None:
                self._is_lost = False
                return scene if not failures else _after(scene, failures, failed_s)
            failures += 1
            left = self._lost_after_s - failed_s
            if self._is_lost:
                raise PerceptionError(f'perception is lost (lost_after={self._lost_after_s:g}s), '
                                      f'and another look failed too: {why}')
            if left <= 0:
                self._is_lost = True
                raise PerceptionError(f'no look succeeded for {failed_s:.0f}s '
                                      f'(lost_after={self._lost_after_s:g}s): {why}')
            if failed_s > 1:  # what passes at once is not told
                ctx.report(f'looks again, for up to {self._lost_after_s:g}s: {why}')
            pause_s = min(pause_s, left)
            self._pause(pause_s, ctx)
            paused_s += pause_s
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _one_look(self, ctx: Context) -> tuple[Scene | None, str]:
        """A fresh scene, or None and why there is none."""
        try:
            scene = self._perception.observe(ctx)
        except PerceptionGone:
            raise
        except PerceptionError as error:
            return None, str(error)
        if getattr(scene, 'stale', False):
            return None, '; '.join(scene.warnings) or 'the scene is stale'
        if self._absent:
            self._absent -= {*scene.names()} - (hidden := {o.name for o in unseen(scene)})
            scene = replace(scene, objects=scene.without(hidden & self._absent))
        return scene, ''


def _after(scene: Scene, failures: int, failed_s: float) -> Scene:
    told = f'{failures} look{"s" * (failures > 1)} failed before this one, for {failed_s:.1f}s'
    return replace(scene, warnings=(*scene.warnings, told))
