"""Skills under other names: planned with, executed, recovered from, by a model's rules as well."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.app.build.build_skills import build_skills
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain.scene import Shape
from replan_agent.execute.contract import Skill
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasps import ShapeGrasps
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent.vlm.scripted.scripted_server import MODEL, FakeModelServer

NAMES = {'pick': 'grab', 'place_on': 'drop_on', 'place_in': 'drop_into', 'place_at': 'drop_at',
         'stack': 'pile', 'push': 'shove', 'pull': 'drag', 'home': 'rest',
         'open_gripper': 'let_go', 'look': 'watch'}
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                  (0.55, -0.25, None), mass=0.25)
TIGHT_M, SPARE_M = 0.012, 0.035  # too little room for a finger, and enough


def cube(colour: str, x: float, y: float, yaw: float = 0.0) -> ObjectSpec:
    return ObjectSpec(f'{colour}_cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named(colour),
                      (x, y, None), (0, 0, yaw))


def boxed_in(yaw: float = 0.3) -> list[ObjectSpec]:
    """A red cube with a neighbour at each side; only behind one of them a finger fits."""
    sides = zip(('blue', 'green', 'yellow', 'purple'), (TIGHT_M, TIGHT_M, SPARE_M, TIGHT_M))
    return [cube('red', 0.5, 0.0, yaw)] + [
        cube(colour, 0.5 + (0.04 + gap) * math.cos(yaw + k * math.pi / 2),
             (0.04 + gap) * math.sin(yaw + k * math.pi / 2), yaw)
        for k, (colour, gap) in enumerate(sides)]


def renamed() -> Registry:
    """The standard skills, each under another name."""
    registry, standard = Registry(), standard_skills()
    for name in standard.names():
        skill = standard.get(name)
        assert skill is not None
        spec = replace(skill.spec, name=NAMES[name], example='')
        other: type[Skill] = type(f'Renamed{name}', (type(skill),), {'spec': spec})
        registry.add(other())
    return registry


def sim_of(objects: list[ObjectSpec], **settings) -> Simulation:
    config = load_config()
    config = replace(config, **settings)
    sim = Simulation(SceneSpec('test', objects=tuple(objects)), config=config)
    sim.skills = build_skills(config, renamed(), sim.robot, sim.motion, ShapeGrasps(),
                              sim.perception)
    return sim


def names(result) -> list[str]:
    return [record.step.skill for record in result.steps]


def test_the_stub_planner_carries_out_a_task():
    sim = sim_of([cube('red', 0.45, 0.15), BOWL])
    result = sim.agent(MemoryRecorder()).run('put the red cube in the bowl, then go home')
    assert result.success, result.final_detail
    assert names(result) == ['grab', 'drop_on', 'rest']


def test_local_planning_clears_what_is_in_the_way():
    sim = sim_of(boxed_in())
    result = sim.agent(MemoryRecorder()).run('pick up the red cube')
    assert result.success and result.replans == 0, result.final_detail
    assert [n.option.name for n in result.local[0].nodes] == ['clear blue_cube']
    assert result.attempts[0].diagnosis.cause == 'boxed_in'


def test_the_scripted_model_reads_the_names_from_its_tools():
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    with FakeModelServer() as server:
        vlm = replace(load_config().vlm, base_url=server.base_url, model=MODEL, images=False)
        sim = sim_of([cube('red', 0.45, 0.15), BOWL], planner='vlm', vlm=vlm)
        result = sim.agent(MemoryRecorder()).run('put the red cube in the bowl')
    assert result.success, result.final_detail
    assert names(result) == ['grab', 'drop_on']
