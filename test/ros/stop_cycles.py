# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stop, release, new goal, over and over: nothing of an old goal may move after a release.

    tools/ros run python3 test/ros/stop_cycles.py --arm franka --cycles 1000

A goal is stopped at a random moment: as it is sent, while it is checked and planned, in motion, or
when it has just ended. Then the stop is released, the arm is watched, and a new goal must succeed.
`franka` and `ur` are stand-ins of their drivers, `sim` is the simulated arm, which really moves.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
if __name__ == '__main__':
    sys.path[:0] = [str(Path(__file__).parent), str(ROOT / 'test' / 'shared')]

from fake_driver import FakeDriver  # noqa: E402
from replan_agent_interfaces.action import ExecuteSkill  # noqa: E402
from rig import WAIT_S, finished, overrides, until  # noqa: E402
from stand_ins import SEEN, StandInPerception  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402
from test_arm_guard import HOME, Outside, skill_node  # noqa: E402

from replan_agent.domain.plan import Step  # noqa: E402
from replan_agent.domain.scene import Scene  # noqa: E402
from replan_agent.ros.messages.call_messages import skill_call_to_msg  # noqa: E402
from replan_agent.ros.nodes.skill_node import SkillNode  # noqa: E402
from replan_agent.ros.rclpy_tools.node_process import Spinning  # noqa: E402

PICK, OPEN = Step(1, 'pick', {'object': 'red_cube'}), Step(1, 'open_gripper')
LONGEST_S = 0.4  # before a stop
LOOKS = 3  # joint states that are watched after a release
STILL_RAD = 2e-3
MOMENTS = ('at once', 'in between', 'in motion')


@dataclass
class Arm:
    """An arm behind a skill_node; `joints` are where it really is, `sent` counts its goals."""

    skills: SkillNode
    outside: Outside
    old: Step
    joints: Callable[[], Any]
    sent: Callable[[], int]
    hold: Callable[[bool], None]  # while it holds, a motion goes on until it is cancelled
    away: Callable[[], None]  # from where the next goal leads
    scene: Callable[[], Scene] = lambda: SEEN

    def __post_init__(self) -> None:
        self._services = {name: self.outside.create_client(Trigger, name)
                          for name in ('stop', 'reset_stop')}

    def execute(self, step: Step) -> Any:
        """A future of the answer."""
        client = self.outside._skills
        assert client.wait_for_server(WAIT_S)
        sent = client.send_goal_async(skill_call_to_msg(step, self.scene()))
        return finished(sent).get_result_async()

    def trigger(self, name: str) -> Trigger.Response:
        until(self._services[name].service_is_ready)
        return finished(self._services[name].call_async(Trigger.Request()))

    @property
    def commanding(self) -> bool:
        return self.skills._robot.commanding

    def heard(self) -> bool:
        robot = self.skills._robot
        return robot.state_age_s < 1 and np.allclose(robot.state().joints, self.joints(),
                                                     atol=STILL_RAD)


def cycle(arm: Arm, moment: str, wait_s: float) -> tuple[str, str]:
    """How the old goal ended, and what went wrong ('' if nothing did)."""
    arm.away()
    until(arm.heard)
    arm.hold(True)
    answer = arm.execute(arm.old)
    if moment == 'in between':
        threading.Event().wait(wait_s)
    elif moment == 'in motion':
        until(lambda: arm.commanding or answer.done())
    stopped = arm.trigger('stop')
    if not stopped.success:
        return '', f'not stopped: {stopped.message}'
    until(lambda: arm.trigger('reset_stop').success)
    if arm.skills._server.running or arm.commanding:
        return '', 'released while the old goal ran'
    sent, joints, arrived = arm.sent(), arm.joints(), 0.0
    ended = finished(answer).result
    how = 'stopped' if ended.error_code == ExecuteSkill.Result.STOPPED else (
        'failed before' if ended.error_code else 'done before')
    for _ in range(LOOKS):
        arrived = arm.skills._robot._feed.arrived
        until(lambda seen=arrived: arm.skills._robot._feed.arrived > seen)
    if arm.sent() != sent or np.abs(arm.joints() - joints).max() > STILL_RAD:
        return how, 'the old goal moved the arm after the release'
    arm.hold(False)
    for step in (HOME, *([OPEN] if arm.old is PICK and not ended.error_code else [])):
        new = finished(arm.execute(step)).result
        if new.error_code:
            return how, f'the new goal {step.skill} failed: {new.error_msg}'
    return how, ''


def cycles(arm: Arm, count: int, seed: int, told: int = 0) -> tuple[Counter[str], list[str]]:
    """How the old goals ended, and what went wrong."""
    chance, ends, wrong = random.Random(seed), Counter[str](), list[str]()
    for number in range(count):
        how, problem = cycle(arm, chance.choice(MOMENTS), chance.uniform(0, LONGEST_S))
        ends[how] += 1
        if problem:
            wrong.append(f'cycle {number}: {problem}')
            print(wrong[-1], flush=True)
        if told and (number + 1) % told == 0:
            print(f'{number + 1} cycles, {len(wrong)} wrong; old goals: {dict(ends)}', flush=True)
    return ends, wrong


@contextmanager
def franka(ros: Any) -> Iterator[Arm]:
    with tempfile.TemporaryDirectory() as memory:
        driver, outside, skills = FakeDriver(), Outside(), skill_node(Path(memory))

        def away() -> None:
            driver.joints = driver.joints + 0.1

        with Spinning([driver, outside, skills]):
            yield Arm(skills, outside, HOME, lambda: driver.joints.copy(),
                      lambda: len(driver.goals),
                      lambda held: setattr(driver, 'hold', held), away)
            driver.hold = False


@contextmanager
def ur(ros: Any) -> Iterator[Arm]:
    tests = ROOT / 'plugins' / 'replan_agent_arms' / 'test'
    sys.path[:0] = [str(tests / 'ros'), str(tests / 'unit')]
    from small_ur import small_ur
    from ur_stand_in import UrStandIn

    from replan_agent.arms.known_arms import arm_named

    with tempfile.TemporaryDirectory() as folder:
        sidecar = str(small_ur(Path(folder)))
        driver, outside = UrStandIn(arm_named(sidecar).home), Outside()
        skills = SkillNode(parameter_overrides=overrides(robot__model=sidecar))

        def away() -> None:
            driver.joints = driver.joints + np.array([0.1, 0, 0, 0, 0, 0])

        with Spinning([driver, outside, skills]):
            yield Arm(skills, outside, HOME, lambda: driver.joints.copy(),
                      lambda: len(driver.goals),
                      lambda held: setattr(driver, 'hold', held), away)
            driver.hold = False


@contextmanager
def sim(ros: Any) -> Iterator[Arm]:
    from replan_agent_sim.sim_node import SimNode

    from replan_agent.domain.scene import Shape
    from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

    cube = ObjectSpec('red_cube', Shape.BOX, (0.04,) * 3, Colour.named('red'), (0.5, 0.0, None))
    world = SimNode(SceneSpec('cycles', objects=(cube,)), parameter_overrides=overrides())
    outside, skills = Outside(), SkillNode(parameter_overrides=overrides())
    began: list[Any] = []

    def seen() -> Scene:
        now = world.world.time
        return replace(SEEN, stamp=now, objects=tuple(
            replace(thing, seen_at=now) for thing in SEEN.objects))

    sent = skills._robot.on_command
    skills._robot.on_command = lambda: (began.append(None), sent())[1]
    with Spinning([world, outside, skills, StandInPerception(scene=SEEN)]):
        yield Arm(skills, outside, PICK, lambda: world.robot.state().joints.copy(),
                  lambda: len(began), lambda held: None, lambda: None, seen)


ARMS = {'franka': franka, 'ur': ur, 'sim': sim}


def main() -> int:
    import rclpy

    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--arm', choices=ARMS, action='append', help='default: all')
    options.add_argument('--cycles', type=int, default=1000)
    options.add_argument('--seed', type=int, default=0)
    given = options.parse_args()
    rclpy.init()
    failed = 0
    for name in given.arm or ARMS:
        print(f'{name}: {given.cycles} cycles, seed {given.seed}', flush=True)
        with ARMS[name](rclpy) as arm:
            _, wrong = cycles(arm, given.cycles, given.seed, told=100)
        failed += len(wrong)
        print(f'{name}: {len(wrong) or "none"} of {given.cycles} cycles went wrong', flush=True)
    rclpy.try_shutdown()
    return bool(failed)


if __name__ == '__main__':
    sys.exit(main())
