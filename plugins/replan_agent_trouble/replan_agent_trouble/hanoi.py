# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The towers of Hanoi: blocks on three plates, and a planner that knows their rule."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from replan_agent_bench.worlds.blocked.blocked_scenes import beside, box
from replan_agent_bench.worlds.judges import RESTING_M, Truth
from replan_agent_bench.worlds.physics_log import PhysicsLog

from replan_agent import (
    Context,
    EffectKind,
    Goal,
    PlanReply,
    PlanRequest,
    Predicate,
    ReplyKind,
    Scene,
    Step,
)
from replan_agent.domain.skill import skill_that

from .case import Case

PLATES = ('grey_plate', 'white_plate', 'black_plate')  # from the first to the last
BLOCKS = ('red_block', 'yellow_block', 'green_block', 'blue_block')  # from the largest
WIDE_M, THINNER_M, HIGH_M = 0.064, 0.01, 0.03
PLATE_M, APART_M = (0.10, 0.10, 0.012), 0.19
OFF_M = 0.02  # from the middle of the plate, at most
EVERY = 10  # samples of the log
TASK = ('move the tower from the grey plate to the black plate, one block at a time, and never '
        'put a larger block on a smaller one or on the table')

Where = dict[str, str]  # the plate of each block


def hanoi(rng: np.random.Generator, blocks: int) -> Case:
    """A tower on the first of three plates; it should stand on the last one."""
    yaw = float(rng.uniform(-0.15, 0.15))
    middle = (float(rng.uniform(0.46, 0.52)), float(rng.uniform(-0.03, 0.03)), yaw)
    order = rng.permutation(3)
    frames = [beside(middle, 1, (float(k) - 1) * APART_M) for k in order]
    plates = [box(name, frame, PLATE_M, fixed=True) for name, frame in zip(PLATES, frames)]
    plates = [replace(o, position=(*o.position[:2], PLATE_M[2] / 2)) for o in plates]
    tower = [box(name, frames[0], (WIDE_M - k * THINNER_M, WIDE_M - k * THINNER_M, HIGH_M),
                 on=PLATE_M[2] + k * HIGH_M, mass=0.08)
             for k, name in enumerate(BLOCKS[:blocks])]
    names = BLOCKS[:blocks]
    return Case((*tower[::-1], *plates), TASK, Tower(names), frozenset(),
                own=(*names, *PLATES), rule=Rule(names))


@dataclass(frozen=True)
class Tower:
    """All blocks stand on the last plate, the largest below."""

    blocks: tuple[str, ...]

    def __call__(self, truth: Truth) -> str:
        top, plate = PLATE_M[2], truth.object(PLATES[-1])
        for name in self.blocks:
            block = truth.object(name)
            away, gap = math.dist(block.position[:2], plate.position[:2]), block.bottom_z - top
            if away > OFF_M or abs(gap) > RESTING_M:
                return (f'{name} is {1000 * away:.0f} mm from the middle of {plate.name} and '
                        f'{1000 * gap:.0f} mm above its place')
            top = block.top_z
        return truth.let_go(self.blocks[-1])


@dataclass(frozen=True)
class Rule:
    """What was put down was never on a smaller block or on the table."""

    blocks: tuple[str, ...]

    def __call__(self, log: PhysicsLog) -> str:
        before = dict.fromkeys(self.blocks, (math.inf,) * 3)
        for state in log.states[::EVERY]:
            now = {name: log.position(name, state) for name in self.blocks}
            still = [n for n in self.blocks if math.dist(now[n], before[n]) < 0.0005]
            for name in still:
                below = self._below(name, now)
                if below:
                    return f'{name} stood on {below}'
            before = now
        return ''

    def _below(self, name: str, now: Mapping[str, tuple[float, float, float]]) -> str:
        """What it must not stand on and does; '' if nothing."""
        x, y, z = now[name]
        if z < HIGH_M / 2 + PLATE_M[2] / 2:
            return 'the table'
        return next((other for other in self.blocks[self.blocks.index(name) + 1:]
                     if math.dist((x, y), now[other][:2]) < WIDE_M / 2
                     and abs(z - now[other][2] - HIGH_M) < RESTING_M), '')


class HanoiPlanner:
    """Plans the moves that are left, from where the blocks are seen."""

    name, uses_model = 'hanoi', False

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        scene = request.scene
        blocks = [b for b in BLOCKS if scene.get(b) is not None]
        take, put = (skill_that(request.skills, kind)
                     for kind in (EffectKind.TAKE, EffectKind.PUT_ON))
        if any(scene.get(plate) is None for plate in PLATES) or not (blocks and take and put):
            return PlanReply(ReplyKind.GIVE_UP, detail='the plates or the blocks are not seen')
        where = plates_of(scene, blocks)
        held = scene.held if scene.held in where else None
        moves = moves_to(blocks, where, PLATES[-1])
        if held is not None:  # it goes where the fewest moves are left
            rest = [(plate, moves_to(blocks, {**where, held: plate}, PLATES[-1]))
                    for plate in PLATES if is_free(held, plate, where)]
            plate, left = min(rest, key=lambda each: len(each[1]))
            moves = [(held, plate), *left]
        steps: list[Step] = []
        for block, plate in moves:
            top = next((b for b in reversed(blocks) if where[b] == plate and b != block), plate)
            if block != held or steps:
                steps.append(Step(len(steps) + 1, take.name, {take.effect.object: block}))
            steps.append(Step(len(steps) + 1, put.name, {put.effect.target: top}))
            where = {**where, block: plate}
        below = (PLATES[-1], *blocks)
        goals = tuple(Goal(Predicate.ON, block, lower) for block, lower in zip(blocks, below))
        return PlanReply(ReplyKind.STEPS if steps else ReplyKind.DONE, tuple(steps), goals)


def plates_of(scene: Scene, blocks: Sequence[str]) -> Where:
    """The plate that each block is nearest to."""
    at = {o.name: o.position[:2] for o in scene.objects}
    return {block: min(PLATES, key=lambda plate: math.dist(at[plate], at[block]))
            for block in blocks}


def is_free(block: str, plate: str, where: Where) -> bool:
    """Whether no smaller block is on the plate."""
    return not any(where.get(smaller) == plate for smaller in BLOCKS[BLOCKS.index(block) + 1:])


def moves_to(blocks: Sequence[str], where: Where, goal: str) -> list[tuple[str, str]]:
    """The fewest moves that bring the blocks, the largest first, to a plate by the rule."""
    if not blocks:
        return []
    largest, *others = blocks
    if where[largest] == goal:
        return moves_to(others, where, goal)
    spare = next(p for p in PLATES if p not in (where[largest], goal))
    return [*moves_to(others, where, spare), (largest, goal),
            *moves_to(others, dict.fromkeys(others, spare), goal)]
