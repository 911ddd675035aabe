# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who may import whom (the map in CONTRIBUTING.md): read from the source, nothing is imported.

Imports inside functions and under TYPE_CHECKING count, and so does `import_module('...')`.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = 'replan_agent'
SOURCE = Path(__file__).resolve().parents[2] / PACKAGE

BASE = ('text', 'domain', 'geometry')
STAGE = (*BASE, 'agent.ports')
ARM = 'arms.arm_model'
STAGE_WITH_ARM = (*STAGE, ARM, 'robot.robot_protocols', 'motion.motion_protocols')
WIRED = (*BASE, 'arms', 'agent', 'perceive', 'plan', 'execute', 'replan', 'approve', 'record',
         'motion', 'robot', 'vlm')

# Which modules of ours a layer may import, beside itself. `robot.mujoco` is a layer of its own
# inside another; a name stands for itself and all below it.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    '__init__': (),
    'text': (),
    'domain': ('text', 'arms.arm_names'),
    'geometry': ('text', 'domain'),
    'arms': ('text', 'domain', 'geometry'),
    'agent': BASE,
    'perceive': STAGE_WITH_ARM,
    'plan': STAGE,
    'english': ('text', 'domain', 'geometry', 'agent.ports'),
    'execute': STAGE_WITH_ARM,
    'replan': STAGE,
    'approve': STAGE,
    'record': STAGE,
    'motion': (*BASE, ARM),
    'robot': (*BASE, ARM),
    'robot.mujoco': (*BASE, ARM, 'arms.arm_names', 'robot', 'motion.motion_protocols'),
    'vlm': ('text', 'domain'),
    'app': (*WIRED, 'english'),  # only the app chooses who reads words
    'ros': (*WIRED, 'app'),
}

# Allowed under TYPE_CHECKING only: the front door names what it loads when it is first used.
MAY_IMPORT_FOR_TYPES: dict[str, tuple[str, ...]] = {'__init__': (*WIRED, 'app')}

# Packages of others that only these layers may import. Ours beside the core: none may.
ONLY_IN: dict[str, tuple[str, ...]] = {
    'ros': ('rclpy', '*_msgs', 'replan_agent_interfaces', '*_interfaces', 'tf2_*', 'moveit',
            'launch', 'launch_*', 'rosidl_*', 'ament_*', 'cv_bridge'),
    'robot.mujoco': ('mujoco',),
    'vlm': ('openai',),
    'no layer of the core': ('replan_agent_[!i]*', 'mcap', 'pyarrow', 'starlette', 'uvicorn',
                             'mcp', 'anyio', 'pydantic', 'matplotlib', 'ray', 'xllamacpp'),
}  # fmt: skip


CORE = 54_042  # the most lines of all layers together
# The most lines of each layer. Who raises one deletes something else, and says what.
CEILINGS = {
    'agent': 4_296,
    'app': 3_169,
    'approve': 554,
    'arms': 1_418,
    'domain': 4_373,
    'english': 4_525,
    'execute': 3_081,
    'geometry': 3_601,
    'motion': 2_686,
    'perceive': 4_939,
    'plan': 4_918,
    'record': 1_417,
    'replan': 3_329,
    'robot': 3_106,
    'ros': 6_818,
    'text': 907,
    'vlm': 889,
}


class Import(NamedTuple):
    target: str  # absolute, with the imported name: 'replan_agent.agent.ports.Clock'
    line: int
    for_types: bool  # under TYPE_CHECKING


def is_within(name: str, parents: tuple[str, ...]) -> bool:
    return any(f'{name}.'.startswith(f'{parent}.') for parent in parents)


def layer_of(name: str) -> str | None:
    """Return the innermost layer that a dotted name below the package belongs to."""
    layers = [layer for layer in MAY_IMPORT if is_within(name, (layer,))]
    return max(layers, key=len, default=None)


@functools.cache  # many tests ask
def imports_of(source: str, file: str) -> tuple[Import, ...]:
    """Every import in `source`, whose path below the package is `file`."""
    folder = [PACKAGE, *Path(file).parent.parts]

    def targets(node: ast.AST) -> list[str]:
        match node:
            case ast.Import():
                return [alias.name for alias in node.names]
            case ast.ImportFrom():
                base = folder[: len(folder) - node.level + 1] if node.level else []
                base = [*base, *filter(None, [node.module])]
                return ['.'.join([*base, alias.name]) for alias in node.names]
            case ast.Call(
                func=ast.Name(id='import_module' | '__import__')
                | ast.Attribute(attr='import_module'),
                args=[ast.Constant(value=str(name)), *_],
            ):
                return ['.'.join([*folder, name.lstrip('.')]) if name[0] == '.' else name]
        return []

    found: list[Import] = []
    left: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while left:
        node, for_types = left.pop()
        found += [Import(target, getattr(node, 'lineno', 0), for_types)
                  for target in targets(node)]
        left += [(child, for_types or is_for_types(node, child))
                 for child in ast.iter_child_nodes(node)]
    return tuple(found)


def is_for_types(node: ast.AST, child: ast.AST) -> bool:
    """Whether `child` is in the body of `if TYPE_CHECKING:`, and not in its `else`."""
    match node:
        case ast.If(test=ast.Name(id='TYPE_CHECKING')):
            return child in node.body
    return False


def objection(found: Import, layer: str) -> str | None:
    """Say why `layer` may not import this, or None."""
    top, _, ours = found.target.partition('.')
    if top != PACKAGE:
        owners = [o for o, names in ONLY_IN.items() if any(fnmatch(top, n) for n in names)]
        return f'only {" and ".join(owners)} may' if owners and layer not in owners else None
    target_layer = layer_of(ours)
    if target_layer in (None, layer):  # None: a name of the package itself, like __version__
        return None
    for_types = MAY_IMPORT_FOR_TYPES.get(layer, ())
    if is_within(ours, (*MAY_IMPORT[layer], *(for_types if found.for_types else ()))):
        return None
    if is_within(ours, for_types):
        return f'{layer} may only do so under TYPE_CHECKING'
    return f'{layer} may import of ours: {", ".join(MAY_IMPORT[layer]) or "nothing"}'


def breaches(source: str, file: str) -> list[str]:
    """Return one sentence for each import in `file` that breaks a rule."""
    layer = layer_of('.'.join(Path(file).with_suffix('').parts))
    if layer is None:
        return [f'{file} belongs to no layer; there are: {", ".join(MAY_IMPORT)}']
    return [
        f'{file}:{found.line} imports {found.target}: {why}'
        for found in imports_of(source, file)
        if (why := objection(found, layer))
    ]


def sources() -> dict[str, str]:
    """The text of every module of ours, by its path below the package."""
    files = sorted(SOURCE.rglob('*.py'))
    assert files
    return {file.relative_to(SOURCE).as_posix(): file.read_text('utf-8') for file in files}


def module_graph(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Each module, and the modules of ours that it imports, also inside functions."""
    names = {_module(file) for file in texts}
    return {
        _module(file): {
            target
            for found in imports_of(text, file)
            if (target := _longest_known(found.target, names)) and target != _module(file)
        }
        for file, text in texts.items()
    }


def _module(file: str) -> str:
    return '.'.join([PACKAGE, *Path(file).with_suffix('').parts]).removesuffix('.__init__')


def _longest_known(target: str, names: set[str]) -> str | None:
    """The module that an imported name is in."""
    parts = target.split('.')
    return next(
        (name for n in range(len(parts), 1, -1) if (name := '.'.join(parts[:n])) in names), None
    )


def room_of(module: str, layer: str) -> str:
    """The sub-folder of the layer that a module is in; a file in the layer itself is its own."""
    return '.'.join(module.removeprefix(f'{PACKAGE}.{layer}.').split('.')[:1])


def rooms(graph: Mapping[str, Iterable[str]], layer: str) -> dict[str, set[str]]:
    """The imports between the rooms of one layer."""
    inside = [m for m in graph if m.startswith(f'{PACKAGE}.{layer}.')]
    between: dict[str, set[str]] = {room_of(module, layer): set() for module in inside}
    for module in inside:
        room = room_of(module, layer)
        between[room] |= {room_of(t, layer) for t in graph[module] if t in inside} - {room}
    return between


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """One circle of the graph, first and last the same; empty without one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_is_in_an_import_circle() -> None:
    assert circle(module_graph(sources())) == []


@pytest.mark.parametrize('layer', ['agent', 'ros', 'app', 'perceive', 'replan', 'robot', 'plan',
                                   'english'])
def test_the_rooms_of_a_layer_are_in_no_circle(layer: str) -> None:
    assert circle(rooms(module_graph(sources()), layer)) == []


def test_a_circle_is_found_also_through_a_type_import_and_inside_a_function() -> None:
    texts = {
        'agent/loop.py': 'from .episode import Episode',
        'agent/episode.py': 'if TYPE_CHECKING:\n    from .loop import Agent',
    }
    assert circle(module_graph(texts))
    texts['agent/episode.py'] = 'def run():\n    from replan_agent.agent import loop'
    assert circle(module_graph(texts))
    texts['agent/episode.py'] = 'from .task_progress import State'
    assert circle(module_graph(texts)) == []


def test_file_names_are_unique() -> None:
    names = [Path(file).name for file in sources()]
    repeated = {name for name in names if names.count(name) > 1}
    assert repeated <= {'__init__.py', '__main__.py'}


def test_class_names_are_unique() -> None:
    names = Counter(name for text in sources().values()
                    for name in re.findall(r'^ *class ([A-Z]\w*)[(:]', text, re.MULTILINE))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_room_has_more_than_twenty_files() -> None:
    counts: dict[str, int] = {}
    for file in sources():
        folder = Path(file).parent.as_posix()
        counts[folder] = counts.get(folder, 0) + 1
    flat = {'domain'}  # flat on purpose: one vocabulary
    assert {f: n for f, n in counts.items() if n > 20 and f not in flat} == {}


def test_no_layer_grows_past_its_ceiling() -> None:
    lines: dict[str, int] = {}
    for file, text in sources().items():
        layer = file.split('/')[0]
        if layer != '__init__.py':
            licence = 2 * text.startswith('# Copyright')  # its two lines are not code
            lines[layer] = lines.get(layer, 0) + text.count('\n') - licence
    assert lines.keys() == CEILINGS.keys()
    assert {layer: n for layer, n in lines.items() if n > CEILINGS[layer]} == {}, (
        'delete as many lines of the layer, or raise its ceiling and say what went instead')
    assert sum(lines.values()) <= CORE


def test_no_unit_test_of_the_core_needs_our_other_packages() -> None:
    """Nor what it imports of test/shared: they run where only the core is installed."""
    tests, shared = Path(__file__).parent, Path(__file__).parents[1] / 'shared'
    left, seen, found = list(tests.rglob('*.py')), set(), []
    while left:
        seen.add(file := left.pop())
        for each in imports_of(file.read_text('utf-8'), file.name):
            helper = shared / f'{each.target.split(".")[0]}.py'
            left += [helper] if helper.is_file() and helper not in seen else []
            if fnmatch(each.target, 'replan_agent_[!i]*') or each.target.startswith('plugin_'):
                found.append(f'{file.name}:{each.line} imports {each.target}')
    assert tests / 'vlm' / 'conftest.py' in seen and shared / 'model_server.py' in seen
    assert found == []


def test_the_package_keeps_its_layers() -> None:
    found = [breach for file, text in sources().items() for breach in breaches(text, file)]
    assert not found, '\n' + '\n'.join(found)


@pytest.mark.parametrize(
    ('file', 'source'),
    [
        ('domain/scene.py', 'import replan_agent.agent.ports'),
        ('domain/scene.py', 'from replan_agent import agent'),
        ('domain/scene.py', 'from ..agent import ports'),
        ('domain/__init__.py', 'from ..agent.ports import Clock'),
        ('agent/loop.py', 'from replan_agent.plan.stub import StubPlanner'),
        ('agent/loop.py', 'from replan_agent.robot.robot_protocols import Robot'),
        ('plan/stub.py', 'from replan_agent.execute.registry import Registry'),
        ('plan/stub.py', 'from replan_agent.agent.loop import Loop'),
        ('plan/stub.py', 'from replan_agent.agent import loop'),
        ('plan/stub.py', 'from replan_agent.robot.robot_protocols import Robot'),
        ('execute/skills/pick.py', 'from replan_agent.motion.planner import Planner'),
        ('execute/skills/pick.py', 'from ...motion import planner'),
        ('perceive/truth.py', 'from replan_agent.robot.mujoco.world import World'),
        ('motion/planner.py', 'from replan_agent.robot.robot_protocols import Robot'),
        ('motion/planner.py', 'from replan_agent.agent.ports import Clock'),
        ('robot/robot_protocols.py', 'from .mujoco import world'),
        ('robot/robot_protocols.py', 'from replan_agent.motion.motion_protocols import Grasp'),
        ('robot/mujoco/world.py', 'from replan_agent.motion.planner import Planner'),
        ('vlm/client.py', 'from replan_agent.agent.ports import ChatModel'),
        ('app/cli/main.py', 'from replan_agent.ros.commands.ros_commands import commands'),
        ('app/cli/main.py', 'def run():\n    from replan_agent.ros import cli'),
        ('app/cli/main.py', 'from replan_agent_bench import suite'),
        ('app/cli/main.py', 'def run():\n    from replan_agent_page.mcp_server import desk'),
        ('ros/commands/send.py', 'from replan_agent_page.mcp_server import desk'),
        ('__init__.py', 'from .app import cli'),
        ('__init__.py', 'def run():\n    from .app.build.compose import Simulation'),
        ('__init__.py', 'if TYPE_CHECKING:\n    pass\nelse:\n    from .domain import plan'),
        ('__init__.py', 'if TYPE_CHECKING:\n    from .ros.nodes import agent_node'),
        ('app/cli/main.py', 'if TYPE_CHECKING:\n    from replan_agent_bench import suite'),
        ('helpers/strings.py', ''),
    ],
)
def test_an_import_across_layers_is_a_breach(file: str, source: str) -> None:
    assert len(breaches(source, file)) == 1


@pytest.mark.parametrize(
    ('file', 'source'),
    [
        ('agent/loop.py', 'import rclpy.node'),
        ('app/cli/main.py', 'from sensor_msgs.msg import Image'),
        ('app/cli/main.py', 'from replan_agent_interfaces.action import ExecuteTask'),
        ('motion/moveit.py', 'from moveit.planning import MoveItPy'),
        ('robot/camera.py', 'import mujoco'),
        ('app/build/twin.py', 'import mujoco as mj'),
        ('plan/model/vlm.py', 'from openai import OpenAI'),
        ('perceive/camera/view.py', 'import numpy, openai'),
    ],
)
def test_a_package_kept_to_one_layer_is_a_breach_elsewhere(file: str, source: str) -> None:
    assert len(breaches(source, file)) == 1


@pytest.mark.parametrize(
    'source',
    [
        'def capture():\n    import mujoco',
        'class Camera:\n    async def capture(self):\n        import mujoco.viewer',
        'try:\n    import mujoco\nexcept ImportError:\n    mujoco = None',
        'if TYPE_CHECKING:\n    from mujoco import MjModel',
        "import importlib\nmj = importlib.import_module('mujoco')",
        "mj = __import__('mujoco')",
    ],
)
def test_an_import_cannot_hide(source: str) -> None:
    assert len(breaches(source, 'app/build/twin.py')) == 1


@pytest.mark.parametrize(
    ('file', 'source'),
    [
        ('domain/scene.py', 'import numpy as np\nfrom .pose import Pose'),
        ('agent/loop.py', 'from replan_agent.domain import event\nfrom . import ports'),
        ('plan/stub.py', 'from replan_agent.agent import ports\nfrom ..domain.plan import Plan'),
        ('plan/stub.py', 'from replan_agent import __version__'),
        ('execute/skills/pick.py', 'from replan_agent.motion import motion_protocols'),
        ('perceive/truth.py', 'from ..robot.robot_protocols import Camera'),
        ('robot/mujoco/world.py', 'import mujoco\nfrom ..robot_protocols import Robot'),
        ('robot/mujoco/check.py', 'from replan_agent.motion.motion_protocols import Grasp'),
        ('vlm/client.py', 'def client():\n    import openai'),
        ('app/build/compose.py', 'from replan_agent.robot.mujoco.world import World'),
        ('ros/nodes/agent_node.py', 'import rclpy\nfrom replan_agent.app import compose'),
        ('ros/convert.py', 'from sensor_msgs.msg import Image'),
        ('__init__.py', 'if TYPE_CHECKING:\n    from .app.build.compose import Simulation'),
    ],
)
def test_what_the_design_allows_is_no_breach(file: str, source: str) -> None:
    assert breaches(source, file) == []


def test_a_breach_names_the_line_and_what_is_allowed() -> None:
    source = 'import math\n\nfrom replan_agent.plan import stub\n'
    assert breaches(source, 'replan/diagnose/policy.py') == [
        'replan/diagnose/policy.py:3 imports replan_agent.plan.stub: '
        f'replan may import of ours: {", ".join(STAGE)}'
    ]
