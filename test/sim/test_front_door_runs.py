# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`Simulation` and `Agent` as a program uses them, with real physics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent import (
    Agent,
    Approval,
    Config,
    ConfigError,
    Context,
    FinalReason,
    Goal,
    PlanReply,
    Predicate,
    ReplyKind,
    RobotCell,
    Simulation,
    Skill,
    SkillResult,
    SkillSpec,
    Step,
    load_config,
)
from replan_agent.app.build.build_skills import check_arm
from replan_agent.app.cli.main import main
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import RobotConfig
from replan_agent.domain.event import StepFinished
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.perceive.ground_truth import GroundTruthPerception

NO_ARGUMENTS = {'type': 'object', 'properties': {}, 'additionalProperties': False}


def test_a_bare_call_moves_and_prints_the_slug(capsys):
    result = Simulation('tabletop').run('put the red cube in the bowl')
    print(result.success, result.final_reason, result.final_detail)
    assert capsys.readouterr().out == 'True plan_complete in(red_cube, bowl)\n'


def test_settings_without_an_approver_move_nothing_and_say_what_to_set():
    simulation = Simulation('pick_cube', config=Config())
    result = simulation.run('pick up the red cube')
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert 'approver: auto' in result.final_detail
    assert simulation.robot.state().stamp == 0.0


def test_names_replace_those_of_the_settings():
    result = Simulation('pick_cube', approver='none').run('pick up the red cube')
    assert result.final_reason is FinalReason.APPROVAL_DENIED


@pytest.mark.parametrize('name', ['approver', 'planner', 'perception', 'robot'])
def test_a_wrong_name_lists_the_right_ones(name):
    with pytest.raises(ConfigError, match=f"{name}: 'bogus' is not .*: "):
        Simulation('pick_cube', **{name: 'bogus'}).run('pick up the red cube')


def test_the_record_and_the_events_are_the_callers(tmp_path):
    events = []
    result = Simulation('pick_cube').run('pick up the red cube', out=tmp_path / 'run',
                                         on_event=events.append)
    assert [e.step.skill for e in events if isinstance(e, StepFinished)] == ['pick']
    assert (tmp_path / 'run' / 'result.json').is_file() and result.success


def test_a_record_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigError, match='it is a file, not a folder'):
        Simulation('pick_cube').run('go home', out=tmp_path / 'file')


def test_the_scene_is_what_is_seen_now():
    simulation = Simulation('tabletop')
    before = simulation.scene.get('red_cube').position
    simulation.run('put the red cube in the bowl')
    assert simulation.scene.get('red_cube').position != before


class Blink(Skill):
    spec = SkillSpec('blink', 'Do nothing.', NO_ARGUMENTS, example='blink()')

    def run(self, call):
        return SkillResult(success=True)

    def verify(self, call):
        return SkillResult(success=False, reason='timeout', reason_detail='blinked for 9 s')


def test_an_added_skill_fails_with_its_plain_text_reason():
    simulation = Simulation('pick_cube', planner=lambda request, ctx: [Step(1, 'blink')],
                            max_replans=0)
    simulation.add_skill(Blink())
    assert simulation.skills.specs()[-1].name == 'blink'
    result = simulation.run('blink')
    assert result.attempts[0].reason == 'timeout'
    assert 'blinked for 9 s' in result.final_detail


def test_a_skill_cannot_be_added_twice():
    with pytest.raises(ValueError, match="'blink' is registered already"):
        Simulation('pick_cube', skills=[Blink()]).add_skill(Blink())


def test_an_own_skill_is_rehearsed_too():
    config = load_config()
    config = replace(config, agent=replace(config.agent, rehearse=True))
    result = Simulation('pick_cube', config=config, skills=[Blink()], max_replans=0,
                        planner=lambda request, ctx: [Step(1, 'blink')]).run('blink')
    assert not result.steps, 'it failed in the twin, so nothing ran'
    assert 'blinked for 9 s' in result.final_detail


def test_a_planner_may_be_an_object_that_learns_from_what_failed():
    class Second:
        def plan(self, request, ctx):
            name = 'red_cube' if request.prior_attempts else 'no_cube'
            steps = (Step(1, 'pick', {'object': name}),)
            return PlanReply(ReplyKind.STEPS, steps, (Goal(Predicate.HOLDING, 'red_cube'),))

    result = Simulation('pick_cube', planner=Second()).run('take it')
    assert result.success and result.replans == 1 and result.planner == 'Second'


@pytest.mark.parametrize('answer', [None, 'pick', [1]])
def test_a_planner_that_answers_nonsense_ends_the_task_with_what_is_wanted(answer):
    result = Simulation('pick_cube', planner=lambda request, ctx: answer).run('take it')
    assert result.final_reason is FinalReason.INTERNAL_ERROR
    assert 'PlanReply' in result.final_detail


def test_an_approver_may_be_an_object():
    class No:
        def approve(self, request, ctx):
            return Approval(False, 'me', 'not today')

        def report_outcome(self, success):
            pass

    result = Simulation('pick_cube', approver=No()).run('pick up the red cube')
    assert result.final_detail == 'not today'


class EmptyNo:
    """Denies everything, and counts as false."""

    def __len__(self):
        return 0

    def approve(self, request, ctx):
        return Approval(False, 'me', 'not today')

    def report_outcome(self, success):
        pass


def test_an_approver_that_counts_as_false_is_asked_all_the_same():
    simulation = Simulation('pick_cube', approver=EmptyNo())
    assert simulation.run('pick up the red cube').final_detail == 'not today'
    assert simulation.robot.state().stamp == 0.0


@pytest.mark.parametrize('given', [False, 0, object(), EmptyNo])
def test_what_cannot_approve_is_refused(given):
    with pytest.raises(TypeError, match='an approver is a name as in the settings, or an object'):
        Simulation('pick_cube', approver=given)


def test_a_planner_and_a_perception_that_count_as_false_are_used():
    class Empty(list):
        def plan(self, request, ctx):
            return [Step(1, 'home')]

    class Blank(Shy):
        def __len__(self):
            return 0

    inner = Simulation('pick_cube')
    blank = Blank(inner.world.visible_objects, inner.robot, PANDA)
    result = Simulation('pick_cube', planner=Empty(), perception=blank).run('go home')
    assert (result.planner, result.perception) == ('Empty', 'shy')


def test_what_cannot_plan_is_refused_before_a_task():
    with pytest.raises(TypeError, match='a planner is a function'):
        Simulation('pick_cube', planner=False)


def test_an_arm_of_another_model_is_refused_with_what_differs():
    panda = Simulation('pick_cube')
    cell = RobotCell(panda.robot, true_objects=panda.world.visible_objects)
    config = Config(robot=RobotConfig(model='fr3'))
    with pytest.raises(ConfigError, match='robot.model is fr3, but the robot has the joints pan'):
        Agent(cell, config=config)


def test_an_arm_with_other_limits_is_refused():
    panda = Simulation('pick_cube')
    slow = replace(panda.robot.limits, velocity=panda.robot.limits.velocity / 2)
    with pytest.raises(ConfigError, match='the robot has other velocity limits'):
        check_arm(slow, PANDA)


def test_an_agent_on_a_cell_of_its_own():
    """The cell is all that it takes: no world, no scene file."""
    inner = Simulation('pick_cube')
    cell = RobotCell(inner.robot, true_objects=inner.world.visible_objects,
                     facts={'robot': 'mine'})
    agent = Agent(cell, skills=[Blink()], approver='auto', max_replans=1)
    result = agent.run('pick up the red cube', ctx=Context())
    assert result.success and result.extra['robot'] == 'mine'
    assert Agent(cell).run('go home').final_reason is FinalReason.APPROVAL_DENIED


class OwnGrasps(AnyGrasps):
    """Those of a hand of its own."""

    def candidates(self, thing, scene):
        return (replace(grasp, label='mine') for grasp in super().candidates(thing, scene))


def test_a_hand_of_its_own_takes_things_in_its_own_way():
    inner = Simulation('pick_cube')
    cell = RobotCell(inner.robot, true_objects=inner.world.visible_objects,
                     grasps=OwnGrasps(PANDA.hand))
    agent = Agent(cell)
    pick = Step(1, 'pick', {'object': 'red_cube'})
    assert agent.skills.foresee(pick, agent.scene, Context()).reason_detail == 'mine'


@pytest.mark.parametrize(('perception', 'what'), [
    ('camera', 'this robot has no camera'), ('ground_truth', 'does not know the true poses')])
def test_a_cell_without_what_perception_needs_is_a_sentence(perception, what):
    with pytest.raises(ConfigError, match=what):
        Agent(RobotCell(Simulation('pick_cube').robot), perception=perception)


class Shy(GroundTruthPerception):
    name = 'shy'

    def observe(self, ctx):
        return replace(super().observe(ctx), objects=())


def test_a_perception_may_be_an_object():
    inner = Simulation('pick_cube')
    shy = Shy(inner.world.visible_objects, inner.robot, PANDA)
    result = Simulation('pick_cube', perception=shy).run('pick up the red cube')
    assert result.perception == 'shy' and 'red cube' in result.final_detail
    with pytest.raises(TypeError, match='is not a perception: it has no name'):
        Simulation('pick_cube', perception=object())
    with pytest.raises(TypeError, match='a perception is an object, not the class'):
        Simulation('pick_cube', perception=Shy)


def test_a_camera_that_perception_opened_is_closed_with_the_agent():
    closed = []

    class Lens:
        def close(self):
            closed.append(self)

    inner = Simulation('pick_cube')
    with Agent(RobotCell(inner.robot, Lens), perception='camera'):
        assert not closed
    assert len(closed) == 1


ELSEWHERE = """
from replan_agent import RobotCell, RobotParts
from replan_agent.app.build.robot_cell import build_cell
from replan_agent.perceive.ground_truth import GroundTruthPerception
from dataclasses import replace

def cell(parts: RobotParts) -> RobotCell:
    ours = build_cell(replace(parts, config=replace(parts.config, robot_source='mujoco'),
                              scene='pick_cube' if parts.scene == 'desk/left' else parts.scene))
    return RobotCell(ours.robot, ours.camera, ours.true_objects, {'robot': 'elsewhere'})

class Truth(GroundTruthPerception):
    name = 'truth'
    def __init__(self, parts):
        super().__init__(parts.truth(), parts.robot, parts.arm)
"""


@pytest.fixture
def elsewhere(on_path, tmp_path):
    about = tmp_path / 'elsewhere-1.dist-info'
    about.mkdir()
    (tmp_path / 'elsewhere.py').write_text(ELSEWHERE, 'utf-8')
    (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: elsewhere\nVersion: 1\n')
    (about / 'entry_points.txt').write_text(
        '[replan_agent.robots]\nelsewhere = elsewhere:cell\n'
        '[replan_agent.perceptions]\ntruth = elsewhere:Truth\n')
    on_path(tmp_path)


def test_a_robot_and_a_perception_of_an_installed_package(elsewhere):
    with pytest.raises(ConfigError, match="say who approves its plans, for example approver='c"):
        Simulation('pick_cube', robot='elsewhere', perception='truth')
    simulation = Simulation('pick_cube', robot='elsewhere', perception='truth', approver='auto')
    result = simulation.run('pick up the red cube')
    assert result.success and result.perception == 'truth'
    assert result.extra['robot'] == 'elsewhere'
    with pytest.raises(ConfigError, match="'elsewhere' has no MuJoCo world"):
        _ = simulation.world


def test_the_command_line_accepts_a_scene_that_only_the_robot_knows(
    elsewhere, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / 'settings.yaml'
    settings.write_text('robot_source: elsewhere\napprover: auto\n', 'utf-8')
    assert main(['run', 'pick up the red cube', '--scene', 'desk/left', '--config', str(settings)],
                plug_ins=()) == 0
    (run,) = (tmp_path / 'runs').iterdir()
    assert run.name.endswith('-left')


def test_the_skill_and_the_planner_of_an_installed_package(small_plugin, on_path):
    on_path(small_plugin)
    result = Simulation('pick_cube', planner='nodder').run('say yes')
    assert result.success and result.planner == 'nodder'
    assert [record.step.call for record in result.steps] == ["nod({'times': 2})"]


def test_a_second_task_while_one_is_running_is_refused(tmp_path):
    refusals = []

    def planner(request, ctx):
        with pytest.raises(RuntimeError) as refused:
            simulation.run('go home', out=tmp_path)
        refusals.append(str(refused.value))
        return [Step(1, 'home')]

    simulation = Simulation('pick_cube', planner=planner)
    result = simulation.run('go home', out=tmp_path)
    assert len(refusals) == 1
    assert result and (tmp_path / 'result.json').is_file()
    assert simulation.run('go home'), 'the next one may run'


def test_a_task_may_run_after_one_was_interrupted(tmp_path):
    def interrupted(request, ctx):
        raise KeyboardInterrupt

    simulation = Simulation('pick_cube', planner=interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            simulation.run('go home', out=tmp_path)
    assert '"cancelled"' in (tmp_path / 'result.json').read_text('utf-8')


class Odd(Blink):
    spec = SkillSpec('odd', 'Measure something odd.', NO_ARGUMENTS)

    def verify(self, call):
        return SkillResult(success=True, evidence={'seen': object()})


@pytest.mark.parametrize('recorded', [True, False])
def test_odd_evidence_ends_the_same_with_and_without_a_record(recorded, tmp_path):
    result = Simulation('pick_cube', skills=[Odd()],
                        planner=lambda request, ctx: PlanReply(ReplyKind.STEPS, (Step(1, 'odd'),)),
                        ).run('measure', out=tmp_path if recorded else None)
    assert result.final_reason is FinalReason.PLAN_COMPLETE
    assert (tmp_path / 'result.json').is_file() is recorded


@pytest.mark.gl
def test_a_picture_is_an_array_and_a_png_for_notebooks(tmp_path):
    with Simulation('tabletop') as simulation:
        assert simulation.image(64, 48).shape == (48, 64, 3)
        picture = simulation.show(64, 48)
        assert picture._repr_png_().startswith(b'\x89PNG')
        picture.save(tmp_path / 'scene.png')
        assert (tmp_path / 'scene.png').read_bytes() == picture._repr_png_()
        assert simulation._repr_png_().startswith(b'\x89PNG')


def test_steps_of_the_caller_are_run_without_a_planner():
    steps = [Step(1, 'pick', {'object': 'red_cube'}), Step(2, 'place_in', {'target': 'bowl'})]
    result = Simulation('tabletop').run('put the red cube in the bowl', steps=steps)
    assert result.success and result.planner == 'given' and result.goals_named_by == 'task'


@pytest.mark.parametrize('step', [Step(1, 'fly'), Step(1, 'pick', {'object': 'moon'}),
                                  Step(1, 'place_at', {'x': 9.0, 'y': 0.0})])
def test_steps_of_the_caller_that_are_wrong_move_nothing(step):
    simulation = Simulation('tabletop')
    result = simulation.run('do it', steps=[step])
    assert result.final_reason is FinalReason.GAVE_UP and len(result.plans) == 1
    assert simulation.robot.state().stamp == 0.0


def test_steps_of_the_caller_need_an_approval():
    simulation = Simulation('tabletop', approver='none')
    result = simulation.run('go home', steps=[Step(1, 'home')])
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert simulation.robot.state().stamp == 0.0
