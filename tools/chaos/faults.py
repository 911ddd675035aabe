"""The faults: what is broken, and what should happen."""

from __future__ import annotations

import random
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from action_msgs.srv import CancelGoal
from rosgraph_msgs.msg import Clock

from .bad_wire import DELAY, DELAY_S, DROP, STALE, STILL, TWICE
from .graph import Graph

FROZEN_S = 4.0  # of robot time: longer than every silence that is allowed
FULL_AT_BYTES = 2000
JUMP_S = 1000
DISK, AGENT_KILLED = 'the disk is full', 'agent_node killed'
ARM = 'panda_arm_controller/follow_joint_trajectory'


@dataclass(frozen=True)
class Fault:
    """`cause` breaks something and may put it right later; `stops`: the arm must stand then."""

    name: str
    cause: Callable[[Graph], None]
    stops: bool = False
    goal: tuple[tuple[str, str], ...] = ()  # fields of the goal that go with it
    at_once: bool = False  # it breaks before the arm moves


def killed(node: str) -> Callable[[Graph], None]:
    return lambda graph: graph.signal(node, signal.SIGKILL)


def frozen(node: str) -> Callable[[Graph], None]:
    def cause(graph: Graph) -> None:
        graph.signal(node, signal.SIGSTOP)
        time.sleep(FROZEN_S * graph.slow)
        graph.signal(node, signal.SIGCONT)

    return cause


def spoiled(node: str, mode: str) -> Callable[[Graph], None]:
    return lambda graph: graph.spoil(node, mode)


def controller_aborts(graph: Graph) -> None:
    """Someone else cancels all goals of the arm's controller."""
    client = graph.caller.create_client(CancelGoal, f'{ARM}/_action/cancel_goal')
    client.wait_for_service(10.0)
    client.call_async(CancelGoal.Request())


def disk_is_full(graph: Graph) -> None:
    """The agent cannot write more than a few bytes to a file."""
    _, hard = resource.prlimit(graph.pid('agent_node'), resource.RLIMIT_FSIZE)
    resource.prlimit(graph.pid('agent_node'), resource.RLIMIT_FSIZE, (FULL_AT_BYTES, hard))
    graph.put_right.append(lambda: resource.prlimit(
        graph.pid('agent_node'), resource.RLIMIT_FSIZE, (hard, hard)))


def clock_jumps(graph: Graph) -> None:
    """Another source of time is far ahead, for a moment."""
    publisher = graph.caller.create_publisher(Clock, '/clock', 1)
    for _ in range(5):
        ahead = Clock()
        ahead.clock.sec = JUMP_S
        publisher.publish(ahead)
        time.sleep(0.1)


FAULTS = (
    *(Fault(f'{node} killed', killed(node), stops=node in ('skill_node', 'agent_node'))
      for node in ('perception_node', 'planner_node', 'skill_node', 'guard_node', 'agent_node')),
    *(Fault(f'{node} frozen for {FROZEN_S:g} s', frozen(node),
            stops=node in ('skill_node', 'agent_node'))
      for node in ('perception_node', 'planner_node', 'skill_node', 'guard_node', 'agent_node',
                   'sim_node')),
    Fault('the controller aborts', controller_aborts),
    Fault(DISK, disk_is_full),
    Fault('the clock jumps', clock_jumps),
    Fault('the model hangs', lambda graph: None, goal=(('planner', 'vlm'),), at_once=True),
    *(Fault(f'answers of {node} {how}', spoiled(node, mode))
      for node in ('perception_node', 'skill_node', 'sim_node')
      for mode, how in ((DROP, 'are dropped'), (TWICE, 'come twice'),
                        (DELAY, f'come {DELAY_S:g} s late'))),
    *(Fault(f'the camera shows an old picture{how}', spoiled('sim_node', mode),
            goal=(('perception', 'camera'),))
      for mode, how in ((STILL, ''), (STALE, ' with new stamps'))),
)


def drawn(tasks: int, seed: int) -> list[Fault]:
    """`tasks` faults, each kind about as often; the seed decides the order."""
    rng = random.Random(seed)
    faults: list[Fault] = []
    while len(faults) < tasks:
        faults += rng.sample(FAULTS, len(FAULTS))
    return faults[:tasks]
