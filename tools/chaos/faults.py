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
from .graph import DRIVER, Graph

FROZEN_S = 4.0  # of robot time: longer than every silence that is allowed
FULL_AT_BYTES = 2000
JUMP_S = 1000
STOP_S = 1.0  # of robot time: what must stop the arm does it within this time
UNGUARDED_S = 3.0  # of robot time: nobody moves an arm without a guard for longer
LIMITS_S = {'skill_node': STOP_S, 'agent_node': STOP_S, 'guard_node': UNGUARDED_S, DRIVER: STOP_S}
# After these the stop latch is engaged on purpose: a person looks before the arm moves again.
LATCHING = ('skill_node frozen', 'agent_node', f'{DRIVER} killed', f'{DRIVER} frozen',
            'answers of skill_node are dropped', f'answers of {DRIVER} are dropped')
DISK, AGENT_KILLED = 'the disk is full', 'agent_node killed'
NODES = ('perception_node', 'planner_node', 'skill_node', 'guard_node', 'agent_node', DRIVER)
ARM = 'panda_arm_controller/follow_joint_trajectory'


@dataclass(frozen=True)
class Fault:
    """`cause` breaks something and may put it right later."""

    name: str
    cause: Callable[[Graph], None]
    limit_s: float = 0.0  # the arm must stand after this; 0: it may go on
    named: str = ''  # the detail of the result has to match this
    goal: tuple[tuple[str, str], ...] = ()  # fields of the goal that go with it
    at_once: bool = False  # it breaks before the arm moves

    @property
    def latches(self) -> bool:
        """Whether a person may have to release a stop afterwards."""
        return any(words in self.name for words in LATCHING)

    @property
    def of_driver(self) -> bool:
        """Whether the arm's driver is broken: then its standstill may be in doubt."""
        return DRIVER in self.name


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
    *(Fault(f'{node} killed', killed(node), LIMITS_S.get(node, 0.0),
            named='joint.states' if node == DRIVER else '') for node in NODES),
    *(Fault(f'{node} frozen for {FROZEN_S:g} s', frozen(node), LIMITS_S.get(node, 0.0))
      for node in NODES),
    Fault('the controller aborts', controller_aborts),
    Fault(DISK, disk_is_full),
    Fault('the clock jumps', clock_jumps),
    Fault('the model hangs', lambda graph: None, goal=(('planner', 'vlm'),), at_once=True),
    *(Fault(f'answers of {node} {how}', spoiled(node, mode))
      for node in ('perception_node', 'skill_node', DRIVER)
      for mode, how in ((DROP, 'are dropped'), (TWICE, 'come twice'),
                        (DELAY, f'come {DELAY_S:g} s late'))),
    *(Fault(f'the camera shows an old picture{how}', spoiled(DRIVER, mode),
            goal=(('perception', 'camera'),))
      for mode, how in ((STILL, ''), (STALE, ' with new stamps'))),
)


def drawn(tasks: int, seed: int, only: str = '') -> list[Fault]:
    """`tasks` faults, each kind about as often; the seed decides the order.

    With `only` the name of each contains these words.
    """
    rng = random.Random(seed)
    kinds = [fault for fault in FAULTS if only in fault.name]
    if not kinds:
        raise ValueError(f'no fault has {only!r} in its name; there are: '
                         f'{", ".join(fault.name for fault in FAULTS)}')
    faults: list[Fault] = []
    while len(faults) < tasks:
        faults += rng.sample(kinds, len(kinds))
    return faults[:tasks]
