"""The composition root: the one place that knows which implementation stands behind each port."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from replan_agent import __version__
from replan_agent.agent.loop import Agent
from replan_agent.agent.ports import Approver, Perception, Planner, Recorder
from replan_agent.approve.approvers import AutoApprover, NoApprover
from replan_agent.domain.config import Config
from replan_agent.execute.contract import Toolkit
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasps import TopDownGrasps
from replan_agent.motion.planner import JointPlanner, franka_planner
from replan_agent.perceive.ground_truth import GroundTruthPerception
from replan_agent.plan.stub import StubPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.replan.policy import TablePolicy
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.mujoco.robot import MujocoRobot
from replan_agent.robot.mujoco.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World

REPORTED_PACKAGES = ('mujoco', 'numpy', 'scipy', 'opencv-python', 'opencv-python-headless')


@dataclass(frozen=True)
class Simulation:
    """An embedded world and the agent's ports into it."""

    config: Config
    world: World
    robot: MujocoRobot
    motion: JointPlanner
    perception: Perception
    skills: SkillExecutor

    def agent(self, recorder: Recorder) -> Agent:
        """A fresh agent on this world."""
        config = self.config
        return Agent(
            perception=self.perception,
            planner=_planner(config),
            check_plan=PlanValidator(config.workspace, config.agent.max_steps),
            skills=self.skills,
            approver=_approver(config),
            policy=TablePolicy(config.agent.max_step_retries),
            recorder=recorder,
            config=config.agent,
        )

    def facts(self) -> Mapping[str, Any]:
        """What a result should say about where it was obtained."""
        return {
            'scene': self.world.scene.name, 'seed': self.world.seed, 'robot': 'mujoco',
            'arm_model': self.world.arm_model, 'base_frame': self.robot.base_frame,
            'versions': versions(),
        }


def simulation(config: Config, scene: SceneSpec, seed: int = 0) -> Simulation:
    """An embedded world with everything around it, ready to run tasks."""
    world = World(scene, model=config.robot.model, seed=seed)
    robot = MujocoRobot(world)
    motion = franka_planner(config, MujocoCollisionChecker(world.arm_model), seed)
    perception = GroundTruthPerception(world.true_objects, robot, motion)
    kit = Toolkit(robot, motion, TopDownGrasps(), perception, config.motion, config.workspace)
    return Simulation(config, world, robot, motion, perception,
                      SkillExecutor(standard_skills(), kit))


def versions() -> dict[str, str]:
    """Versions of this package, Python and what results depend on."""
    found = {'replan_agent': __version__, 'python': platform.python_version(),
             'machine': platform.machine()}
    for name in REPORTED_PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _planner(config: Config) -> Planner:
    planners = {'stub': StubPlanner}
    return planners[config.planner]()


def _approver(config: Config) -> Approver:
    return AutoApprover() if config.approver == 'auto' else NoApprover()
