# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A benchmark for your own policy: what does it do when something goes wrong?

    .venv/bin/python examples/own_policy.py 1

This policy goes to what is red, closes the hand, rises, and believes that it holds something if
the fingers are apart. Each trouble has twins that look alike: one can be done, one cannot.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from replan_agent_trouble import Score, Trouble

HELD_M, STEP_M, STEPS = 0.01, 0.01, 140


class GoToRed:
    def __init__(self) -> None:
        self.closed = 0  # steps since then
        self.aim = np.zeros(3)

    def action(self, seen: Mapping[str, Any]) -> np.ndarray:
        """A shift of the tool, no turn, and the grip (-1 open, 0.6 of its force)."""
        red, green, blue = np.moveaxis(seen['image'].astype(int), 2, 0)
        v, u = np.nonzero((red > 100) & (green < red / 2) & (blue < red / 2) & (seen['depth'] > 0))
        if len(u):  # the camera sees it: pixels and their depth to metres from the base
            rays = np.linalg.inv(seen['intrinsics']) @ np.stack([u, v, np.ones(len(u))])
            points = np.vstack([rays * seen['depth'][v, u], np.ones(len(u))])
            self.aim = np.median(seen['camera'] @ points, axis=1)[:3]
        way = self.aim - seen['tool'][:3, 3]
        if self.closed or np.abs(way).max() < STEP_M:
            self.closed += 1
            return np.array([0, 0, self.closed > 20, 0, 0, 0, 0.6])
        way[2] *= np.abs(way[:2]).max() < STEP_M  # first over it, then down
        return np.array([*np.clip(way / STEP_M, -1, 1), 0, 0, 0, -1])


def episode(trouble: str, seed: int, solvable: bool) -> Score:
    env, policy = Trouble('tabletop', trouble, seed=seed, solvable=solvable), GoToRed()
    seen, _ = env.reset()
    for _ in range(STEPS):
        seen, *_ = env.step(policy.action(seen))
    return env.done() if seen['gripper'] > HELD_M else env.give_up('out_of_reach')


if __name__ == '__main__':
    print('trouble         can be done  is done  its claim')
    for trouble in ('moved_mid_pick', 'slips', 'taken_away'):
        for number in range(2 * int(sys.argv[1] if len(sys.argv) > 1 else 1)):
            score = episode(trouble, number // 2, solvable=number % 2 == 0)
            print(f'{trouble:15} {score.solvable!s:12} {score.done!s:8} {score.claim}')
