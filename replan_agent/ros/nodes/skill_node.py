# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""skill_node: checks, runs and verifies steps on the arm. It owns the stop latch."""

from __future__ import annotations

import time
import traceback
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from replan_agent_interfaces.action import ExecuteSkill
from replan_agent_interfaces.msg import SkillSpec as SkillSpecMsg
from replan_agent_interfaces.srv import ListSkills

from replan_agent.app.build.build_planner import MotionParts, build_motion
from replan_agent.app.build.build_skills import build_skills
from replan_agent.app.build.plugins import views
from replan_agent.app.build.skill_set import skill_set
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, Context, DeadlineExceeded
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.execute.contract import Hand, precondition
from replan_agent.execute.executor import SkillExecutor
from replan_agent.motion.envelope import Envelope
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.planner import JointPlanner
from replan_agent.perceive.patient import PatientPerception
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.ros.agent.clients import RosPerception
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.joint_states import RobotSilent
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.arm.seen_arm import JOINT_STATE_S
from replan_agent.ros.messages.call_messages import skill_outcome_to_msg
from replan_agent.ros.messages.message_fields import MessageError, duration_to_msg, time_from_msg
from replan_agent.ros.messages.message_table import from_msg, to_msg, with_hand
from replan_agent.ros.node_settings import SPEEDS, SkillSettings, as_config
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.heart import Heart
from replan_agent.ros.rclpy_tools.managed_node import ManagedNode
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import LiveSettings, declared
from replan_agent.ros.safety.arm_guard import ArmGuard
from replan_agent.ros.safety.safety_settings import explicit, require_limits
from replan_agent.ros.safety.skill_heartbeat import BEAT_S
from replan_agent.ros.safety.stop_latch import StopReason

NAME = 'skill_node'
# Shares of close_timeout: the skill ends and says what was seen, then the agent does.
GIVE_UP, CLOSED = 0.5, 0.7
DEACTIVATED_S = 20.0  # for the running skill to end


class SkillNode(ManagedNode):
    """Serves `execute_skill` and `list_skills`; `stop` and `reset_stop` hold for all skills."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        limits = explicit(self)
        live = LiveSettings(self, SkillSettings, ('agent.skill_timeout',), SPEEDS)
        self._settings = live.now
        require_limits(self._settings.safety, limits, f'parameters of {NAME}')
        robot = self._settings.robot
        arm = arm_named(robot.model)
        self._robot = RosControlRobot(self, arm, robot.frame, declared(self, ArmInterfaces))
        heart = Heart(self, self._settings.guard.heartbeat, BEAT_S, lambda: self._robot.commanding)
        self._robot.on_command = heart.beat
        self._perception = RosPerception(self, self._settings.timeouts, hand=arm.hand)
        self._hand, self._shape = Hand(), arm.hand
        self._registry = skill_set(self._settings.skills,
                                   simulated=self._settings.safety.driver == 'sim',
                                   eye_in_hand=robot.eye_in_hand, arm=robot.model,
                                   warn=self.get_logger().warning)
        self._motion, self._grasps = self._planner(), AnyGrasps(arm.hand)
        for shown in views('grasps'):
            self._grasps = shown(self._grasps, self)
        self._server = GoalServer(
            self, ExecuteSkill, 'execute_skill', self._execute, self._refused,
            sign_of_life=lambda call: ExecuteSkill.Feedback(
                phase=self._robot.pacing.said, elapsed=duration_to_msg(call.elapsed_s)))
        live.moving = lambda: bool(self._server.running)
        live.on_change = self._use
        reach = Envelope(arm, self._settings.workspace, robot.eye_in_hand)
        self._latch = ArmGuard(self, self._robot, lambda: bool(self._server.running), reach,
                               self._settings.safety, self._settings.watchdog).latch
        self._listed = self._listable()
        self.create_service(ListSkills, 'list_skills', self._list,
                            callback_group=ReentrantCallbackGroup())
        names = ', '.join(spec.name for spec in self._registry.specs())
        self.get_logger().info(f'skills: {names}')
        self._robot.refusal = self._refusal
        self.start()

    def missing(self) -> str:
        return self._robot.missing(JOINT_STATE_S)

    def end_work(self) -> None:
        if not self._server.end(f'skill_node was deactivated{self.why}', DEACTIVATED_S):
            self._latch.engage(StopReason.SKILL_RAN_ON, f'a skill ran on for {DEACTIVATED_S:g} s '
                               'after skill_node was deactivated')
        elif self._robot.commanding:  # homing is not a skill
            self._latch.engage(StopReason.GRIPPER_MOVED,
                               'skill_node was deactivated while the gripper moved')

    def _refusal(self, permit: int = 0) -> str:
        return self.inactive or self._latch.refused(permit)

    def close(self) -> bool:
        """End the running skill, at standstill if the driver still sends; False if it runs on."""
        limit_s = self._settings.timeouts.close_timeout
        self._robot.give_up(time.monotonic() + GIVE_UP * limit_s)
        try:
            return self._server.close('skill_node ends', CLOSED * limit_s)
        finally:
            self._motion.close()

    def _use(self, settings: SkillSettings) -> None:
        """Use these settings from the next step on."""
        self._settings = settings
        self._motion.motion = settings.motion

    def _skills(self, perception: str) -> SkillExecutor:
        """The skills; they verify with the perception of that name."""
        seen = PatientPerception(self._perception.asking_for(perception),
                                 self._settings.scene_memory.lost_after)
        return build_skills(as_config(self._settings), self._registry, self._robot, self._motion,
                            self._grasps, seen, self._hand)

    def _planner(self) -> JointPlanner:
        settings, robot = self._settings, self._settings.robot
        checker = MujocoCollisionChecker(arm_named(robot.model), robot.eye_in_hand)
        return build_motion(MotionParts(as_config(settings), checker, settings.motion_seed,
                                        self, settings))

    def _listable(self) -> list[SkillSpecMsg]:
        """The skills as messages; one that cannot be one is told and left out."""
        found = []
        for spec in self._registry.specs():
            try:
                found.append(to_msg(spec))
            except Exception as error:  # noqa: BLE001 code of another package
                self.get_logger().error(f'skill {spec.name!r} is not listed: '
                                        f'{type(error).__name__}: {error}')
        return found

    def _list(self, request: ListSkills.Request,
              response: ListSkills.Response) -> ListSkills.Response:
        response.skills, response.permit = self._listed, self._latch.permit
        response.permit_age = duration_to_msg(time.monotonic() - self._latch.permitted_at)
        return response

    def _refused(self, call: GoalCall, why: str) -> ExecuteSkill.Result:
        stopped = self._refusal()  # more useful than that the stopped skill has not ended yet
        result = (precondition(stopped, Reason.STOPPED) if stopped else
                  precondition(f'the skill did not start: {why}'))
        return skill_outcome_to_msg(result)

    def _execute(self, call: GoalCall) -> Answer:
        try:
            self.await_start(self._settings.timeouts.appear_timeout, Context(call.cancel))
            if not call.request.plan_only:
                if not self._refusal(call.request.permit):
                    self._robot.clear_if_allowed(Context(call.cancel))
                if refusal := self._refusal(call.request.permit):
                    return skill_outcome_to_msg(precondition(refusal, Reason.STOPPED)), False
            result = self._run(call)
            if call.cancel.cancelled and self._robot.unended and not result.success:
                raise Cancelled(call.cancel.reason)
        except Cancelled as cancelled:
            return _cancelled(str(cancelled), self._robot.unended), False
        return skill_outcome_to_msg(result), result.success

    def _silent(self, error: RobotSilent) -> SkillResult:
        """The result without joint states: stopped, if the arm was stopped or stopped itself."""
        own, doubt = self._robot.errors.stop, self._robot.unended
        stopped = self._latch.refusal() or (f'{own.sentence}; call recover_error' if own else '')
        if not stopped:
            return failed(Reason.CONTROLLER_ABORTED, str(error))
        return failed(own.reason if own else Reason.STOPPED, f'{stopped}; {error}' + (
            f'; standstill NOT confirmed: {doubt}' if doubt else ''),
            cause=own.cause if own else Cause.STOPPED)

    def _run(self, call: GoalCall) -> SkillResult:
        def on_phase(phase: str) -> None:
            call.publish(ExecuteSkill.Feedback(phase=phase,
                                               elapsed=duration_to_msg(call.elapsed_s)))

        limit = time_from_msg(call.request.timeout) or self._settings.agent.skill_timeout
        try:
            step = from_msg(Step, call.request.step)
            scene = with_hand(from_msg(Scene, call.request.scene), self._shape)
            # Verify with the same perception as in planning.
            skills, ctx = self._skills(scene.perception), Context(call.cancel).within(limit)
            if call.request.plan_only:
                return skills.foresee(step, scene, ctx)
            return skills.execute(step, scene, ctx, on_phase)
        except MessageError as error:
            return precondition(f'malformed goal: {error}', Reason.BAD_ARGUMENTS)
        except DeadlineExceeded:
            return failed(Reason.TIMEOUT, f'took longer than its timeout of {limit:g} s',
                          FailedStage.EXECUTION)
        except RobotSilent as error:
            return self._silent(error)
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 the process's edge: a bug ends this skill only
            self.get_logger().error(traceback.format_exc())
            self._latch.engage(StopReason.BUG, f'a bug in a skill: {error!r}')
            return failed(Reason.STOPPED, f'{type(error).__name__}: {error}; the arm was stopped')


def _cancelled(why: str, unended: str) -> ExecuteSkill.Result:
    """The result of a cancelled skill; `unended` says why the arm may still move, if it may."""
    if unended:
        return skill_outcome_to_msg(failed(
            Reason.CONTROLLER_ABORTED, f'{why}; standstill NOT confirmed: {unended}'))
    result = skill_outcome_to_msg(failed(Reason.STOPPED, f'{why}; the arm stands still'))
    result.error_code = ExecuteSkill.Result.CANCELLED
    return result


main = program(lambda: [SkillNode()])

if __name__ == '__main__':
    main()
