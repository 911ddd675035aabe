# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark as a gymnasium environment."""

from __future__ import annotations

import string
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from replan_agent import Config, ConfigError, Context
from replan_agent.app.build.wiring import open_camera
from replan_agent.domain.robot_state import CameraError, CameraFrame

from .command import CONTROLS, STEP_S, next_joints
from .episode import Episode
from .score import Score

FAR_M = 5.0  # what the depth shows at most; 0 is nothing
LONGEST_TASK = 300
Observation = dict[str, Any]


class Trouble(gymnasium.Env[Observation, Any]):
    """A task that may meet a trouble, for a policy: `Trouble('tabletop', 'moved_mid_pick', 7)`.

    An observation has the camera's `image` and `depth` (m; 0: nothing seen), its `intrinsics`
    and `camera` (T_base_camera, 4 x 4), `joints` (rad), `speeds` (rad/s), `torques` (N·m, what
    the arm feels from outside), `gripper` (m between the pads), `tool` (T_base_tool, 4 x 4) and
    the sentence, `task`. An action has numbers from -1 to 1: with `control='tool'` the shift and
    the turn of the tool, with `'joints'` the speeds of the joints; the last number is the grip
    (-1 wide open, 0 closed, above 0 a share of the force).

    The verdicts are `report(cause)`, `give_up(reason)` and `done()`; after the last two, or after
    `limit_s` of robot time, the next step ends the episode. `info['score']` then tells all. The
    reward is 1 at the end if the task is done, or is found to be impossible and is. `reset` gives
    the episode of its seed, without one the same again.
    """

    metadata = {'render_modes': ['rgb_array'], 'render_fps': round(1 / STEP_S)}

    def __init__(self, world: str, trouble: str, seed: int = 0, solvable: bool | None = None, *,
                 control: str = 'tool', picture: tuple[int, int] = (128, 128),
                 limit_s: float = 120.0, config: Config | None = None,
                 render_mode: str | None = None) -> None:
        if control not in CONTROLS:
            raise ConfigError(f'control: {control!r} is not one of: {", ".join(CONTROLS)}')
        self.render_mode = render_mode
        self._what = (world, trouble)
        self._seed, self._solvable, self._config = seed, solvable, config
        self._control, self._picture, self._limit_s = control, picture, limit_s
        self._open = ExitStack()
        self._begin()
        numbers, _ = CONTROLS[control]
        self.action_space = spaces.Box(-1.0, 1.0, (numbers + 1,), np.float32)
        self.observation_space = _observations(
            picture, len(self.episode.stage.kinematics.limits.names))

    def _begin(self) -> None:
        self._open.close()
        self.episode = self._open.enter_context(Episode(
            *self._what, self._seed, self._solvable, config=self._config, picture=self._picture))
        self._commanded = self.episode.cell.robot.state().joints
        self._camera = self._open.enter_context(open_camera(self.episode.cell))
        self._is_new = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Observation, dict[str, Any]]:
        """The first observation of the episode of a seed."""
        before, self._seed = self._seed, self._seed if seed is None else seed
        super().reset(seed=self._seed)
        if not self._is_new or self._seed != before:
            self._begin()
        self._is_new = False
        return self._seen(), {}

    def step(self, action: Any
             ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let 0.05 s pass. After a verdict nothing moves: the episode is over."""
        episode, over = self.episode, self.episode.is_over
        if not over:
            wanted = np.clip(np.asarray(action, float), -1.0, 1.0)
            now = episode.cell.robot.state().joints
            self._commanded = next_joints(episode.stage.kinematics, self._control,
                                          self._commanded, now, wanted[:-1])
            episode.follow(self._commanded, float(wanted[-1]), STEP_S)
        late = not over and episode.stage.now() >= self._limit_s
        if not over and not late:
            return self._seen(), 0.0, False, False, {}
        score = episode.score()
        return self._seen(), float(score.right), over, late, {'score': score}

    def report(self, cause: str) -> None:
        """Say what went wrong, with a word of CAUSES. The last word counts."""
        self.episode.report(cause)

    def give_up(self, reason: str) -> Score:
        """Say that it cannot be done, and why, with a word of CAUSES. This ends the episode."""
        return self.episode.give_up(reason)

    def done(self) -> Score:
        """Say that the task is done. This ends the episode."""
        return self.episode.done()

    def render(self) -> Any:
        return self._frame().rgb

    def close(self) -> None:
        self._open.close()

    def _frame(self) -> CameraFrame:
        """The picture of now; black if the camera gives none."""
        try:
            self._last = self._camera.capture(Context())
        except CameraError:
            self._last = replace(self._last, rgb=np.zeros_like(self._last.rgb),
                                 depth=np.zeros_like(self._last.depth))
        return self._last

    def _seen(self) -> Observation:
        frame, state = self._frame(), self.episode.cell.robot.state()
        tool = self.episode.stage.kinematics.forward(state.joints)
        numbers = {'intrinsics': frame.intrinsics, 'camera': frame.T_base_camera.matrix(),
                   'joints': state.joints, 'speeds': state.velocities,
                   'torques': state.external_torque, 'gripper': [state.gripper_width],
                   'tool': tool, 'depth': np.nan_to_num(frame.depth)}
        return {'image': frame.rgb, 'task': self.episode.task,
                **{name: np.asarray(value, np.float32) for name, value in numbers.items()}}


def _observations(picture: tuple[int, int], joints: int) -> spaces.Dict:
    width, height = picture
    shapes = {'intrinsics': (3, 3), 'camera': (4, 4), 'joints': (joints,), 'speeds': (joints,),
              'torques': (joints,), 'gripper': (1,), 'tool': (4, 4)}
    return spaces.Dict({
        'image': spaces.Box(0, 255, (height, width, 3), np.uint8),
        'depth': spaces.Box(0.0, FAR_M, (height, width), np.float32),
        'task': spaces.Text(LONGEST_TASK, charset=string.printable),
        **{name: spaces.Box(-np.inf, np.inf, shape, np.float32)
           for name, shape in shapes.items()}})
