# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded MuJoCo world, with the interfaces of a real arm and camera.

No other node owns a world. A node commands this arm in the same way as a real one.
"""

from __future__ import annotations

from concurrent.futures import wait
from dataclasses import dataclass, field
from typing import Any

from rclpy.node import Node

from replan_agent.app.build.plugins import arm_looks
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import RobotConfig, setting
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.start_check import check_start
from replan_agent.robot.mujoco.world import World
from replan_agent.ros.arm.arm_interfaces import ArmNames, CameraInterfaces, HandCameraInterfaces
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.waiting import holds_in_time
from replan_agent.ros.safety.stop_latch import StopLatch, WatchdogConfig

from .physics import Physics
from .sim_commands import Commands
from .sim_outputs import ArmOutputs, CameraOutputs
from .sim_servers import ArmServers

NAME = 'sim_node'
IDLE_S = 0.04
CLOSE_S = 10.0


@dataclass(frozen=True)
class SimConfig:
    robot: RobotConfig = field(default_factory=RobotConfig)
    scene: str = setting('tabletop', 'name of a scene in config/scenes, or path of a .yaml file')
    seed: int = setting(0, 'seed of the random part of the scene', 0, 2**31 - 1)
    realtime_factor: float = setting(0.0, 'speed of robot time; 0: as fast as possible while '
                                     'a command runs, otherwise it stands still', 0, 100)
    state_rate: float = setting(30.0, 'joint states per second of wall time, at most', 1, 1000)
    truth_rate: float = setting(10.0, 'true scenes per second of wall time', 0.1, 100)
    image_rate: float = setting(5.0, 'pictures per second of wall time, if subscribed',
                                0.1, 60)
    command_timeout: float = setting(300.0, 'longest command, s of wall time', 1, 3600)
    reflex_torque: float = setting(20.0, 'external torque at which the arm stops itself, as a '
                                   'real one does, N·m; 0: never', 0, 100)
    pause_limit: float = setting(2.0, 'a motion ends if the simulation itself did not run for '
                                 'this long, s', 0.1, 600)
    linger: float = setting(2.5, 'when it is asked to end, joint states go on for this long while '
                            'other processes listen to them, s', 0, 600)
    sim_watchdog: WatchdogConfig = field(default_factory=WatchdogConfig)


class SimNode(Node):
    """A world with an arm; its parameters are in SimConfig and ArmNames."""

    def __init__(self, scene: SceneSpec | None = None, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        config = declared(self, SimConfig)
        self._linger_s, self._pause_limit_s = config.linger, config.pause_limit
        scene = scene_named(config.scene) if scene is None else scene
        arm = arm_named(config.robot.model)
        names = declared(self, ArmNames).of(arm)
        self.world = World(scene, arm, config.seed, looks=arm_looks(arm),
                           eye_in_hand=config.robot.eye_in_hand)
        check_start(self.world)
        self.robot = MujocoRobot(self.world, config.robot.frame)
        prefix = config.robot.frame_prefix
        self._arm = ArmOutputs(self, self.robot, names, config.state_rate, config.truth_rate,
                               prefix)
        eye, hand = declared(self, CameraInterfaces), declared(self, HandCameraInterfaces)
        self._cameras = [CameraOutputs(self, self.robot, eye, config.image_rate, prefix)
                         ] if eye.color_image else []
        if config.robot.eye_in_hand:
            self._cameras.append(CameraOutputs(self, self.robot, hand.as_camera(eye),
                                               config.image_rate, prefix, on_hand=True))
        self.physics = Physics(self.world, config.realtime_factor, self._tick,
                               lambda seconds: self.commands.await_cancel(seconds),
                               self._end_after_pause)
        self.commands = Commands(self.physics, lambda: self.latch.refusal(),
                                 self._arm.publish_all, config.command_timeout)
        self.latch = StopLatch(self, self.commands.stop, lambda: self.commands.moving,
                               config.sim_watchdog, prefix='sim/', arm=config.robot.model)
        reflex = ContactGuard(config.reflex_torque) if config.reflex_torque else None
        self._servers = ArmServers(self, self.robot, self.physics, self.commands, names, reflex)
        self.physics.idle_every(IDLE_S)
        self.get_logger().info(f'{self.world.arm.name} in scene {self.world.scene.name!r}')

    def close(self) -> bool:
        """Stop the arm, then end the physics thread; False if the arm does not stop.

        In between, joint states go on while other processes listen to them: whoever commands the
        arm may end at the same moment, and has to see it at rest.
        """
        ended = self._servers.close(CLOSE_S)
        holds_in_time(lambda: not self._arm.heard_elsewhere(), self._linger_s, Context())
        wait([self.physics.do(camera.close) for camera in self._cameras],
             CLOSE_S)  # in the thread that drew
        self.physics.close()
        return ended

    def _end_after_pause(self, pause_s: float) -> None:
        """End a motion whose callers have not heard of the arm for a while."""
        if pause_s > self._pause_limit_s and self.commands.moving:
            why = (f'stopped: sim_node did not run for {pause_s:.1f} s in a motion (pause_limit '
                   f'{self._pause_limit_s:g} s); the arm stands still')
            self.get_logger().error(why)
            self.commands.interrupt(why)

    def _tick(self) -> bool:
        for camera in self._cameras:
            camera.tick()
        return self._arm.tick()


main = program(lambda: [SimNode()])

if __name__ == '__main__':
    main()
