# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chance reaches the approval, the verdict and result.json; outside it is unknown."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_chance.chance_rehearsal import OWN, ChanceRehearsal, ChanceTeller, with_chance
from replan_agent_chance.chance_rows import ROWS
from replan_agent_chance.covered import covered
from replan_agent_chance.sampled_twin import Ran, Trial
from replan_agent_chance.uncertainty import Uncertainty

import replan_agent
from replan_agent.app.build.build_approver import build_approver
from replan_agent.app.build.build_planner import build_check, build_planner
from replan_agent.app.build.config_file import load_config
from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.risk import Risk
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.config import AgentConfig, ApprovalConfig, Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, failed, succeeded
from replan_agent.domain.task_view import RehearsalResult

CONFIG = Config(agent=AgentConfig(chance='auto'))
CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
SCENE = Scene('scene-1', 0.0, (CUBE,), 'ground_truth')


def plan_of(*skills: str, name: str = 'cube') -> Plan:
    steps = tuple(Step(n, skill, {'object': name}) for n, skill in enumerate(skills, 1))
    return Plan(1, 'task', steps, (), PlanCause.INITIAL, None, 'scene-1', 'search')


PICK = plan_of('pick')
PARTS = {'rehearsal': None, 'policy': None, 'reflector': None}  # as build_agent has them


class NoRisk:
    def assess(self, request: ApprovalRequest) -> Risk:
        return Risk(0.0)


class Person:
    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        self.asked.append(request)
        return Approval(True, 'person')

    def report_outcome(self, success: bool) -> None:
        pass


def asked_with(chance: dict, ask_below: float = 0.9) -> list[ApprovalRequest]:
    person = Person()
    approver = AdaptiveApprover(NoRisk(), ApprovalConfig(ask_below=ask_below), person)
    approver.approve(ApprovalRequest(PICK, SCENE, chance=chance), Context())
    return person.asked


def test_a_person_is_asked_below_the_chance() -> None:
    assert len(asked_with({'said': 'works in 30 of 100 tries', 'at_mark': False})) == 1


def test_a_person_is_asked_if_the_chance_is_not_known() -> None:
    assert len(asked_with({'said': 'not known', 'at_mark': None})) == 1
    assert len(asked_with({})) == 1


def test_nobody_is_asked_at_the_chance() -> None:
    assert asked_with({'said': 'works in 95 of 100 tries', 'at_mark': True}) == []


def test_without_ask_below_the_chance_decides_nothing() -> None:
    assert asked_with({'at_mark': False}, ask_below=0.0) == []


def test_the_person_reads_the_chance_among_the_remarks() -> None:
    request, = asked_with({'said': 'works in 30 of 100 tries', 'at_mark': False})
    assert 'works in 30 of 100 tries' in request.remarks


@pytest.mark.parametrize(('plan', 'scene', 'why'), [
    (plan_of('push'), SCENE, 'not told for plans with push'),
    (plan_of(*['pick'] * 9), SCENE, 'only for whole plans'),
    (PICK, replace(SCENE, perception='camera_vlm'), 'not told for the perception camera_vlm'),
    (PICK, replace(SCENE, objects=(replace(CUBE, pose=Pose((0.9, 0.0, 0.02))),)), '0.90 m away'),
    (PICK, replace(SCENE, objects=(replace(CUBE, size=(0.04, 0.04, 0.004)),)), '4 mm thin'),
    (PICK, replace(SCENE, objects=(replace(CUBE, size=(0.04, 0.04, 0.4)),)), '400 mm long'),
    (PICK, replace(SCENE, objects=(replace(CUBE, confidence=0.35),)), 'seen only in part'),
    (replace(PICK, steps=(*PICK.steps, Step(2, 'place_at', {'x': 0.7, 'y': -0.4}))), SCENE,
     'the place at (0.70, -0.40) is 0.81 m away'),
    (PICK, replace(SCENE, objects=(replace(CUBE, pose=Pose((0.1, 0.2, 0.02))),)), '0.22 m away'),
])
def test_outside_of_what_is_covered_it_says_so_instead_of_a_number(plan, scene, why) -> None:
    chance = ChanceTeller(CONFIG).tell(plan, scene)
    assert chance.value is None and why in chance.said


BELOW = replace(CUBE, name='below', pose=Pose((0.5, 0.1, 0.02)))
CROWD = tuple(replace(CUBE, name=f'cube_{n}', pose=Pose((0.5 + 0.05 * n, 0.2, 0.02)))
              for n in range(-2, 3))
FAR = tuple(replace(CUBE, name=f'far_{n}', pose=Pose((0.5, -0.2 - 0.1 * n, 0.02)))
            for n in range(3))
TABLE = SceneObject('table', Shape.TABLE, (0.8, 1.2, 0.04), Pose((0.5, 0.0, -0.02)))


@pytest.mark.parametrize(('scene', 'why'), [
    (replace(SCENE, held='cube'), 'only for an empty hand'),
    (replace(SCENE, objects=(TABLE, replace(CUBE, pose=Pose((0.5, 0.1, 0.06))), BELOW)),
     'cube is on below'),
    (replace(SCENE, objects=(TABLE, CUBE, *CROWD)), '5 things are close to cube'),
    (replace(SCENE, objects=(TABLE, CUBE, *CROWD, *FAR)), 'there are 9 things'),
    (replace(SCENE, objects=(TABLE, CUBE, replace(BELOW, pose=Pose((0.545, 0.1, 0.02))))),
     'below is 5 mm beside cube'),
])
def test_a_scene_that_no_measured_task_had_has_no_chance(scene: Scene, why: str) -> None:
    assert why in ChanceTeller(CONFIG).tell(PICK, scene).why_unknown


def test_a_camera_that_nobody_measured_has_no_chance() -> None:
    seen = replace(SCENE, perception='camera', own_camera=True)
    for measured, why in (('camera', 'the camera that the scene file describes'),
                          ('properties', 'the camera that the scene file describes'),
                          ('bad_camera', None)):
        known = Uncertainty.of(measured)
        assert known is not None
        said = covered().outside(PICK, seen, CONFIG, known)
        assert why in said if why else said == ''
        assert covered().outside(PICK, replace(seen, own_camera=False), CONFIG, known) == ''
    assert covered().outside(PICK, seen, CONFIG, Uncertainty(own_m=0.001)) == ''


def test_after_a_failure_there_is_no_chance() -> None:
    for again in (replace(PICK, cause=PlanCause.ERROR),
                  replace(PICK, cause=PlanCause.HUMAN, context={'attempts': 1})):
        assert 'something failed before' in ChanceTeller(CONFIG).tell(again, SCENE).why_unknown


def test_a_perception_that_is_more_unsure_than_any_measured_one_has_no_chance(tmp_path) -> None:
    for text, why in (('common_m: 0.03', '30 mm'), ('yaw_rad: 0.5', '0.50 rad'),
                      ('grip: 0.5', '50 % of its force'), ('fingers_m: 0.004', '4.0 mm unsure'),
                      ('friction: [0.7, 1.2]', 'friction of 0.7 to 1.2'),
                      ('density: [9000.0]', 'density of 9000 to 9000 kg/m³')):
        (tmp_path / 'u.yaml').write_text(text, 'utf-8')
        agent = replace(CONFIG.agent, chance=str(tmp_path / 'u.yaml'))
        assert why in ChanceTeller(replace(CONFIG, agent=agent)).tell(PICK, SCENE).why_unknown


def test_every_measured_uncertainty_is_covered() -> None:
    measured = [Uncertainty.of(name) for name in ('camera', 'bad_camera', 'properties')]
    for known in (*measured, *(row.case(0).known for row in ROWS if not row.things)):
        assert known is not None and covered().outside(PICK, SCENE, CONFIG, known) == ''


def test_a_perception_that_nobody_measured_has_no_chance() -> None:
    chance = ChanceTeller(replace(CONFIG, perception='camera_vlm')).tell(PICK, SCENE)
    assert chance.value is None and 'nobody measured' in chance.said


def test_another_arm_has_no_chance() -> None:
    other = replace(CONFIG, robot=replace(CONFIG.robot, model='fr3'))
    assert 'not fr3' in covered().outside(PICK, SCENE, other, Uncertainty())


def test_a_rehearsal_tells_the_chance_and_refuses_nothing_for_it(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin',
                        lambda trial, number, ctx: Ran(0, 'grasp_missed', {}))
    found = ChanceRehearsal(ChanceTeller(CONFIG, 0.9)).rehearse(PICK, SCENE, Context())
    assert found.ok and found.chance['at_mark'] is False and found.chance['worked'] == 0


def test_a_change_that_helps_is_told_beside_the_failure(monkeypatch) -> None:
    def twin(trial: Trial, number: int, ctx: Context) -> Ran:
        force = trial.plan.steps[0].args.get('force', 40)
        return Ran(0, 'grasp_slipped', {}) if number < (1 if force >= 70 else 5) else Ran(1, '',
                                                                                            {})

    monkeypatch.setattr('replan_agent_chance.twins.run_twin', twin)
    teller = ChanceTeller(CONFIG, changes=True)
    assert 'grasp slipped in 5 of 16 (still 1 with force=70, speed=0.25)' in teller.tell(
        PICK, SCENE).said
    plain = replace(teller, changes=False).tell(PICK, SCENE)
    assert 'still' not in plain.said and plain.value == teller.tell(PICK, SCENE).value


def test_a_change_that_helps_nowhere_is_not_told(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: Ran(
        0, 'grasp_slipped', {}))
    failure, = ChanceTeller(CONFIG, changes=True).tell(PICK, SCENE).failures
    assert failure.change == '' and failure.said(16).endswith('grasp slipped in 16 of 16')


def test_what_is_proved_to_fail_is_told_with_the_reason(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: Ran(
        0, 'too_wide', {}, 'cube is 100 mm across'))
    assert 'too wide in 16 of 16 (cube is 100 mm across)' in ChanceTeller(CONFIG).tell(
        PICK, SCENE).said


class Seer:
    """Foresees what the arm would say."""

    def __init__(self, result: SkillResult) -> None:
        self._result = result

    def specs(self) -> tuple[SkillSpec, ...]:
        return ()

    def foresee(self, step: Step, scene: Scene, ctx: Context) -> SkillResult:
        return self._result


def test_a_first_step_that_cannot_succeed_is_refused_before_any_twin_runs(monkeypatch) -> None:
    twins: list[int] = []
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: (
        twins.append(number), Ran(1, '', {}))[1])
    proved = failed(Reason.PRECONDITION_FAILED, 'too wide', proved_impossible=True)
    tried = failed(Reason.PATH_BLOCKED, 'no path was found')
    refused = with_chance(CONFIG, PARTS, Seer(proved))['rehearsal'].rehearse(
        PICK, SCENE, Context())
    assert not refused.ok and refused.result is proved and not twins
    unguarded = replace(CONFIG, agent=replace(CONFIG.agent, repeat_guard=False))
    for config, result in ((CONFIG, tried), (CONFIG, succeeded()), (unguarded, proved)):
        found = with_chance(config, PARTS, Seer(result))['rehearsal']
        assert found.rehearse(PICK, SCENE, Context()).chance['twins'] == 16


def test_ask_below_has_the_bounds_of_a_mark() -> None:
    wrong = replace(CONFIG, approval=ApprovalConfig(ask_below=0.98))
    with pytest.raises(ConfigError, match='approval.ask_below: 0.98 needs 24 twins'):
        with_chance(wrong, PARTS)


@pytest.mark.parametrize(('approver', 'twins'), [('adaptive', 4), ('console', 16)])
def test_who_is_asked_about_every_plan_is_told_the_number(
        approver: str, twins: int, monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    config = replace(CONFIG, approver=approver, approval=ApprovalConfig(ask_below=0.9))
    found = with_chance(config, PARTS)['rehearsal'].rehearse(PICK, SCENE, Context())
    assert found.chance['twins'] == twins and (found.chance['value'] is None) is (twins == 4)


def test_the_likeliest_way_needs_chances() -> None:
    config = Config(planner='likeliest')
    with pytest.raises(ConfigError, match='agent.chance is off'):
        build_planner(config, lambda: None, build_check(config), lambda: None)


def test_a_question_says_whether_the_chance_is_low_or_not_known() -> None:
    for at_mark, why in ((False, 'its chance is below 0.9'), (None, 'its chance is not known')):
        request, = asked_with({'said': 'x', 'at_mark': at_mark})
        assert why in request.assessment.reasons


def test_an_approver_that_never_asks_is_refused_where_ask_below_says_when_to() -> None:
    config = replace(CONFIG, approver='auto', approval=ApprovalConfig(ask_below=0.9))
    with pytest.raises(ConfigError, match='approval.ask_below: approver auto asks nobody'):
        build_approver(config, Person(), 'console')
    for approver in ('none', 'adaptive', 'console'):
        build_approver(replace(config, approver=approver), Person(), 'console')


def test_ask_below_is_refused_where_no_chance_is_told() -> None:
    config = Config(approver='adaptive', approval=ApprovalConfig(ask_below=0.9))
    with pytest.raises(ConfigError, match='approval.ask_below: agent.chance is off'):
        build_approver(config, Person(), 'console')


def test_a_wrong_name_of_a_measurement_lists_the_right_ones() -> None:
    wrong = replace(CONFIG, agent=replace(CONFIG.agent, chance='nonsense'))
    with pytest.raises(ConfigError, match='auto, camera, bad_camera, properties'):
        with_chance(wrong, PARTS)


OWN_FILE = 'own_m: 0.003\nfriction: [0.5]\n'


@pytest.mark.parametrize(('robot', 'named', 'perception', 'why'), [
    ('driver', 'auto', 'ground_truth', 'nobody measured what this robot over ROS'),
    ('driver', 'bad_camera', 'camera', 'nobody measured what this robot over ROS'),
    ('driver', 'my_cell.yaml', 'camera', ''),
    ('sim_node', 'auto', 'ground_truth', ''),
    ('sim_node', 'auto', 'camera', 'over ROS a camera does not say whether it is the usual one'),
    ('sim_node', 'camera', 'camera', ''), ('sim_node', 'my_cell.yaml', 'camera', ''),
    ('robosuite', 'my_cell.yaml', 'ground_truth', 'only for a fixed camera, in the ')])
def test_over_ros_a_chance_is_told_where_somebody_measured(
        robot: str, named: str, perception: str, why: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    monkeypatch.chdir(tmp_path)
    Path('my_cell.yaml').write_text(OWN_FILE, 'utf-8')
    config = replace(CONFIG, robot_source=robot, perception=perception,
                     agent=replace(CONFIG.agent, chance=named))
    scene = replace(SCENE, perception=perception)
    told = with_chance(config, PARTS)['rehearsal'].rehearse(PICK, scene, Context()).chance
    assert (told['value'] is None) is bool(why) and why in told['said']
    assert len(asked_with(told)) == 1  # without a mark it is not at one
    assert ('never compared with this arm' in told['said']) is (robot == 'driver' and not why)


def test_people_who_wait_hear_how_many_twins_have_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    times, heard = iter(range(100)), []
    monkeypatch.setattr('replan_agent_chance.twins.time.monotonic', lambda: next(times))
    ChanceTeller(CONFIG).tell(PICK, SCENE, Context(now=lambda: 0.0, report=heard.append))
    assert heard == [f'it runs in twins first: {n} of at most 16 so far' for n in range(2, 16, 3)]


def test_a_question_about_a_retry_says_that_something_failed() -> None:
    attempt = Attempt(0, 'pick', {}, Reason.GRASP_MISSED.value, 'it missed')
    person = Person()
    approver = AdaptiveApprover(NoRisk(), ApprovalConfig(ask_below=0.9), person)
    approver.approve(ApprovalRequest(PICK, SCENE, (attempt,)), Context())
    assert person.asked[0].assessment.reasons[0] == 'its chance is not known after a failure'


def test_a_chance_at_other_speeds_than_those_that_were_measured_says_so(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    assert ChanceTeller(CONFIG).tell(PICK, SCENE).said.startswith(
        'with 0.1 of the speed and 0.1 of the acceleration, where nobody compared it, it works')
    usual = replace(CONFIG, motion=load_config().motion)
    assert ChanceTeller(usual).tell(PICK, SCENE).said.startswith('works in 97 of 100')


def test_a_person_is_asked_about_a_chance_that_is_told_lower_than_the_mark(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: Ran(
        number % 8 and 1, 'grasp_missed' if number % 8 == 0 else '', {}))
    found = ChanceRehearsal(ChanceTeller(CONFIG, 0.9)).rehearse(PICK, SCENE, Context()).chance
    assert found['twins'] == 16 and found['value'] < 0.9 and len(asked_with(found)) == 1


class Inner:
    def is_due(self, plan: Plan, scene: Scene) -> bool:
        return True

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        return RehearsalResult(True, 0.1)


@pytest.mark.parametrize('planner', OWN)
def test_the_agents_own_steps_have_no_chance(planner: str) -> None:
    own = replace(PICK, planner=planner)
    assert ChanceRehearsal(ChanceTeller(CONFIG)).is_due(PICK, SCENE)
    assert not ChanceRehearsal(ChanceTeller(CONFIG)).is_due(own, SCENE)
    assert ChanceRehearsal(ChanceTeller(CONFIG), Inner()).is_due(own, SCENE)
    found = ChanceRehearsal(ChanceTeller(CONFIG), Inner()).rehearse(own, SCENE, Context())
    assert found.ok and found.chance == {}


def test_a_plan_that_a_person_changed_has_a_chance_and_a_put_down_has_none(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    slower = replace(PICK, version=2, planner='agent', cause=PlanCause.HUMAN)
    teller, full = ChanceRehearsal(ChanceTeller(CONFIG)), replace(SCENE, held='cube')
    assert teller.is_due(slower, SCENE) and not teller.is_due(slower, full)
    assert teller.rehearse(slower, SCENE, Context()).chance['twins'] == 16
    assert teller.rehearse(slower, full, Context()).chance == {}


def test_these_are_all_who_plan_the_agents_own_steps() -> None:
    folder = Path(replan_agent.__file__).parent / 'agent'
    text = ' '.join(path.read_text('utf-8') for path in folder.rglob('*.py'))
    assert set(re.findall(r"own_plan\([^']*PlanCause\.\w+, '(\w+)'", text)) == set(OWN)
