# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Skills and arguments under other names: planned with, executed, recovered from.

A model's rules do so as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL

from replan_agent.app.build.build_skills import build_skills
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka import PANDA
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect
from replan_agent.execute.contract import Call, Skill
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasping.grasps import ShapeGrasps
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

NAMES = {'pick': 'grab', 'place_on': 'drop_on', 'place_in': 'drop_into', 'place_at': 'drop_at',
         'stack': 'pile', 'push': 'shove', 'pull': 'drag', 'home': 'rest',
         'open_gripper': 'let_go', 'look': 'watch'}
ARGUMENTS = {'object': 'thing', 'target': 'onto', 'x': 'ahead', 'y': 'aside', 'yaw': 'heading',
             'snug': 'tight', 'direction': 'which_way', 'distance': 'how_far', 'force': 'squeeze',
             'speed': 'pace', 'spot': 'corner', 'grasp': 'grip', 'turn': 'twist',
             'over': 'from_high', 'veer': 'askew', 'along': 'with_others'}
ORIGINAL = {new: old for old, new in ARGUMENTS.items()}
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


def renamed_schema(schema: Any) -> Any:
    """An argument schema with other names of the properties."""
    if not isinstance(schema, Mapping):
        return schema
    made = {key: [renamed_schema(one) for one in value] if key == 'oneOf' else value
            for key, value in schema.items()}
    if 'properties' in made:
        made['properties'] = renamed_keys(made['properties'])
    if 'required' in made:
        made['required'] = [ARGUMENTS[name] for name in made['required']]
    return made


def renamed_keys(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {ARGUMENTS[name]: value for name, value in arguments.items()}


def renamed_spec(spec: SkillSpec) -> SkillSpec:
    roles = {role: ARGUMENTS[argument] for role, argument in spec.effect.roles().items()}
    return replace(
        spec, name=NAMES.get(spec.name, f'my_{spec.name}'), example='',
        arguments=renamed_schema(spec.arguments),
        object_arguments=tuple(ARGUMENTS[name] for name in spec.object_arguments),
        effect=Effect(spec.effect.kind, **roles), must_be=renamed_keys(spec.must_be),
        adjustable=tuple(ARGUMENTS[name] for name in spec.adjustable),
        adjustments={cause: tuple(map(renamed_keys, changes))
                     for cause, changes in spec.adjustments.items()},
        variants={name: renamed_keys(way) for name, way in spec.variants.items()})


class Renamed(Skill):
    """A standard skill that everyone else knows by other names."""

    def __init__(self, skill: Skill) -> None:
        self._skill, self.spec = skill, renamed_spec(skill.spec)

    def check(self, call: Call) -> SkillResult | None:
        return self._skill.check(self._own(call))

    def foresee(self, call: Call) -> SkillResult:
        return self._skill.foresee(self._own(call))

    def run(self, call: Call) -> SkillResult:
        return self._skill.run(self._own(call))

    def verify(self, call: Call) -> SkillResult:
        return self._skill.verify(self._own(call))

    def _own(self, call: Call) -> Call:
        return replace(call, args={ORIGINAL[name]: value for name, value in call.args.items()})


def renamed() -> Registry:
    """The standard skills under other names."""
    registry, standard = Registry(), standard_skills()
    for name in standard.names():
        skill = standard.get(name)
        assert skill is not None
        registry.add(Renamed(skill))
    return registry


def sim_of(objects: list[ObjectSpec], **settings) -> Simulation:
    config = load_config()
    config = replace(config, **settings)
    sim = Simulation(SceneSpec('test', objects=tuple(objects)), config=config)
    sim.skills = build_skills(config, renamed(), sim.robot, sim.motion,
                              ShapeGrasps(PANDA.hand), sim.perception)
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
    with scripted_model() as server:
        vlm = replace(load_config().vlm, base_url=server.base_url, model=MODEL, images=False)
        sim = sim_of([cube('red', 0.45, 0.15), BOWL], planner='vlm', vlm=vlm)
        result = sim.agent(MemoryRecorder()).run('put the red cube in the bowl')
    assert result.success, result.final_detail
    assert names(result) == ['grab', 'drop_on']
