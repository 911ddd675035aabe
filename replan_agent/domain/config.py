# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every setting, its default, its meaning and its legal range.

The same names are keys of the YAML files and ROS parameters. `describe` reads the metadata.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from replan_agent.arms.arm_names import ARM_NAMES, DEFAULT_ARM, base_frame, checked_arm

# Names `as` themselves are for importers of this module too.
from replan_agent.text.setting import ConfigError as ConfigError
from replan_agent.text.setting import build as build
from replan_agent.text.setting import setting as setting

# Entry-point groups: packages installed beside this one add names to the choices of a setting.
PLANNERS = 'replan_agent.planners'
PERCEPTIONS = 'replan_agent.perceptions'
ROBOTS = 'replan_agent.robots'
MOTION_PLANNERS = 'replan_agent.motion_planners'
ALL = '*'


@dataclass(frozen=True)
class AgentConfig:
    max_replans: int = setting(3, 'new plans after errors', 0, 100)
    max_total_replans: int = setting(5, 'new plans after errors and __replan__ together', 0, 100)
    max_api_calls: int = setting(30, 'model calls in one task', 0, 10_000)
    max_step_retries: int = setting(3, 'retries of one step after transient failures', 0, 100)
    max_steps: int = setting(20, 'executed steps in one task', 1, 1000)
    budget_ceiling: int = setting(10, 'each goal that is met renews the budgets of replans, '
                                  'steps and model calls, at most this often', 1, 100)
    step_delay: float = setting(0.0, 'pause after each step, s', 0, 60)
    recapture_after_step: bool = setting(True, 'look again after every step')
    replan_min_interval: float = setting(0.0, 'shortest time between two plans, s', 0, 600)
    replan_timeout: float = setting(300.0, 'time for one plan, s', 0.1, 3600)
    skill_timeout: float = setting(120.0, 'time for one skill, s', 0.1, 3600)
    task_timeout: float = setting(3600.0, 'time for one task, s', 1, 86_400)
    rehearse: bool = setting(False, 'run each plan in a simulated twin before the arm moves')
    chance: str = setting('', 'tell how likely each plan works: auto, or a file of '
                          'measure-chance; empty: off')
    repeat_guard: bool = setting(True, 'do not execute what was proved impossible')
    replanning: bool = setting(True, 'plan again after failures; false: never')
    replan_on_critical: bool = setting(True, 'plan again after CRITICAL failures')
    replan_on_high: bool = setting(True, 'plan again after HIGH failures')
    replan_on_medium: bool = setting(False, 'plan again after MEDIUM failures without a retry')
    replan_backoff: float = setting(2.0, 'each failed plan in a row multiplies '
                                    'replan_min_interval by this', 1, 10)
    replan_backoff_max: float = setting(60.0, 'longest pause between two plans, s', 0, 3600)
    human_after: int = setting(5, 'failed plans in a row of one task after which a person is '
                               'asked; 0: nobody is asked, max_replans ends the task', 0, 1000)
    human_timeout: float = setting(300.0, 'how long a person has to answer, s', 0.1, 86_400)
    human_held: str = setting('hold', 'what to do with a held object while a person is asked',
                              choices=('hold', 'put_down'))
    reflection: str = setting('rules', 'what explains failures; model: rules, then the model '
                              'before a new plan', choices=('none', 'rules', 'model'))
    adapt_retries: bool = setting(True, 'retry a step with a suggested or remembered change')
    local_planning: bool = setting(True, 'try a few small actions around a blocked step')
    local_max_iterations: int = setting(10, 'local actions around one step', 1, 100)
    local_max_foresights: int = setting(150, 'imagined steps that it may plan', 1, 10_000)
    local_max_seconds: float = setting(30.0, 'how long such a search may take, s', 0.1, 3600)
    planning_enable: bool = setting(True, 'keep a suggested plan: goals in words, and progress')
    monitor: str = setting('rules', 'what checks the plan for fundamental problems',
                           choices=('none', 'rules', 'model'))
    memory: str = setting('', 'file of the failure memory; empty: no memory')
    memory_plain_share: float = setting(0.15, 'share of the steps with advice from memory that '
                                        'run as planned, to compare', 0, 1)
    memory_seed: int = setting(0, 'decides which steps these are', 0, 2**31 - 1)
    memory_half_life: float = setting(30.0, 'days until unused advice counts half', 0.01, 36_500)

    def allowing_replans(self, most: int) -> AgentConfig:
        """The settings with `max_replans`, and no other limit on new plans that is nearer."""
        human_after = max(self.human_after, most + 2) if self.human_after else 0
        return replace(self, max_replans=most, human_after=human_after,
                       max_total_replans=max(most, self.max_total_replans))


@dataclass(frozen=True)
class IKConfig:
    pos_tol: float = setting(0.001, 'position tolerance, m', 1e-6, 0.1)
    rot_tol: float = setting(0.01, 'orientation tolerance, rad', 1e-6, 1.0)
    max_iterations: int = setting(400, 'iterations of the numeric solver', 1, 100_000)


@dataclass(frozen=True)
class MotionConfig:
    max_velocity_scaling_factor: float = setting(0.1, 'share of the velocity limit', 1e-3, 1)
    max_acceleration_scaling_factor: float = setting(0.1, 'of the acceleration limit', 1e-3, 1)
    collision_clearance: float = setting(0.01, 'distance to obstacles in free motion, m', 0, 0.02)
    allowed_planning_time: float = setting(3.0, 'time to search for a path, s', 0.01, 60)
    approach_height: float = setting(0.10, 'straight approach above a grasp, m', 0.01, 0.5)
    lift_height: float = setting(0.12, 'straight lift after a grasp, m', 0.01, 0.5)


@dataclass(frozen=True)
class WorkspaceConfig:
    x_min: float = setting(-0.9, 'm, base frame', -10, 10)
    x_max: float = setting(1.5, 'm, base frame', -10, 10)
    y_min: float = setting(-1.0, 'm, base frame', -10, 10)
    y_max: float = setting(1.0, 'm, base frame', -10, 10)
    z_min: float = setting(-0.05, 'm, base frame', -10, 10)
    z_max: float = setting(1.3, 'm, base frame', -10, 10)
    keep_out: tuple[str, ...] = setting((), 'boxes the arm must not enter, each as "name x y z '
                                        'size_x size_y size_z" (m, centre and full size)')

    def __post_init__(self) -> None:
        for axis in 'xyz':
            low, high = getattr(self, f'{axis}_min'), getattr(self, f'{axis}_max')
            if low >= high:
                raise ConfigError(f'{axis}_min={low:g} must be less than {axis}_max={high:g}')


@dataclass(frozen=True)
class RobotConfig:
    model: str = setting(DEFAULT_ARM, 'arm model', choices=ARM_NAMES, read=checked_arm)
    base_frame: str = setting('', "name of the base frame; empty: the arm's own")
    frame_prefix: str = setting('', 'put before the names of all frames, as left/: two arms in '
                                'one tree of frames need it')
    eye_in_hand: bool = setting(False, 'a depth camera is on the hand: looking also moves the arm '
                                'to see the table from several sides')

    @property
    def frame(self) -> str:
        """The base frame's name."""
        return self.frame_prefix + (self.base_frame or base_frame(self.model))


@dataclass(frozen=True)
class SceneMemoryConfig:
    """How long earlier observations stay valid."""

    hidden_keep_s: float = setting(60.0, 'a hidden object keeps its last pose this long, s of '
                                   'robot time', 0, 3600)
    max_object_age_s: float = setting(60.0, 'motion needs objects that were seen within this '
                                      'time, s of robot time', 0.1, 3600)
    look_timeout: float = setting(15.0, 'time for one look, s', 0.1, 600)
    lost_after: float = setting(30.0, 'the task ends if looks fail for longer, s', 0, 3600)


# Of the approval settings; of the others more is stricter.
LESS_IS_STRICTER = ('threshold', 'threshold_min', 'threshold_max', 'relax', 'timeout',
                    'speed_limit')


@dataclass(frozen=True)
class ApprovalConfig:
    """When a plan needs a person. Each `*_risk` is what its rule adds; 0 switches it off.

    The sum treats rules as independent chances: 0.5 and 0.3 make 0.65.
    """

    threshold: float = setting(0.5, 'a plan of less risk needs no person; where adaptive approval '
                               'begins', 0, 1)
    threshold_min: float = setting(0.1, 'lowest threshold after failures', 0, 1)
    threshold_max: float = setting(0.8, 'highest threshold after successes', 0, 1)
    tighten: float = setting(0.1, 'the threshold falls by this after each failed plan', 0, 1)
    relax: float = setting(0.05, 'the threshold rises by this after each success; above its '
                           'start value only for plans that a person approved', 0, 1)
    ask_below: float = setting(0.0, 'adaptive asks about a plan whose chance (agent.chance) is '
                               'lower than this, or not known; 0: whatever its chance', 0, 1)
    timeout: float = setting(300.0, 'time for a person to approve a plan, s; then it is denied',
                             0.1, 86_400)
    margin: float = setting(0.1, 'a step that comes closer than this to a keep-out zone or to '
                            "a person's area is near it, m", 0, 2)
    person_areas: tuple[str, ...] = setting((), 'where people reach in, written as '
                                            'workspace.keep_out; the arm may go there, approved')
    person_risk: float = setting(0.9, "a step near a person's area", 0, 1)
    keep_out_risk: float = setting(0.5, 'a step near a keep-out zone', 0, 1)
    fragile: tuple[str, ...] = setting(
        ('*glass*', '*egg*', '*vase*', '*cup*', '*mug*', '*bottle*', '*bulb*', '*jar*',
         '*porcelain*', '*ceramic*', '*fragile*'),
        'names of fragile objects; * stands for any letters; no change grips them with more '
        'force')
    fragile_risk: float = setting(0.5, 'a step that handles a fragile object', 0, 1)
    heavy: tuple[str, ...] = setting(('*brick*', '*hammer*', '*drill*', '*kettle*'),
                                     'names of heavy objects; * stands for any letters')
    heavy_risk: float = setting(0.5, 'a step that handles a heavy object', 0, 1)
    speed_limit: float = setting(0.25, 'share of the velocity limit above which a motion is fast',
                                 0, 1)
    speed_risk: float = setting(0.3, 'a fast motion', 0, 1)
    collision_risk: float = setting(0.7, 'any motion after a collision in this task', 0, 1)
    failure_risk: float = setting(0.15, 'any motion, for each attempt that failed before it', 0, 1)

    def as_strict_as(self, other: ApprovalConfig) -> ApprovalConfig:
        """These settings, made to ask a person about all that `other` asks about."""
        def stricter(name: str, here: Any, there: Any) -> Any:
            if isinstance(here, tuple):
                return (*here, *(item for item in there if item not in here))
            return (min if name in LESS_IS_STRICTER else max)(here, there)

        return replace(self, **{f.name: stricter(f.name, getattr(self, f.name),
                                                 getattr(other, f.name)) for f in fields(self)})


MODEL_WAYS = ('tools', 'json_schema', 'json', 'text')


@dataclass(frozen=True)
class VLMConfig:
    """The endpoint of the model and how it is asked. The key itself is never a setting."""

    base_url: str = setting('https://api.openai.com/v1', 'an OpenAI-compatible endpoint')
    model: str = setting('', "the model's name at that endpoint")
    api_key_env: str = setting('', 'environment variable that holds the key; empty: '
                               'OPENAI_API_KEY for api.openai.com, no key elsewhere')
    mode: str = setting('auto', 'how plans are asked for: tool calls, JSON by a schema, any JSON '
                        'or text; auto finds out what works', choices=('auto', *MODEL_WAYS))
    output: str = setting('auto', 'what the model answers with: steps, or goals that the search '
                          'plans for; auto: steps with tools, goals with the other modes',
                          choices=('auto', 'steps', 'goals'))
    prompt: str = setting('auto', 'length of the prompt; auto: full with tools, compact with the '
                          'other modes', choices=('auto', 'full', 'compact'))
    remember: bool = setting(True, 'keep what auto found for 30 days, in '
                             '~/.cache/replan_agent/models.json')
    timeout: float = setting(120.0, 'time for one request from start to end, s', 0.05, 3600)
    first_token_timeout: float = setting(60.0, 'time until the answer begins, s; a server that '
                                         'does not stream begins with its whole answer', 0.05,
                                         3600)
    stream: bool = setting(True, 'ask for the answer in parts, to see whether the model works')
    max_retries: int = setting(2, 'extra requests after 429, 5xx, no connection or no answer; '
                               'each counts as a model call', 0, 20)
    retry_wait: float = setting(1.0, 'pause before the first extra request, s; doubles each time, '
                                'unless the server names one (Retry-After)', 0, 60)
    max_retry_wait: float = setting(60.0, 'longest pause, s; if the server asks for a longer one, '
                                    'the call fails at once', 0, 3600)
    temperature: float = setting(-1.0, 'sampling temperature; negative: the server decides', -1, 2)
    max_tokens: int = setting(0, 'longest reply, tokens; 0: the server decides', 0, 1_000_000)
    extra_body: str = setting('{}', 'extra fields for each request, as a JSON object')
    images: bool = setting(True, 'send the camera picture to the model')
    ask: bool = setting(True, 'ask a person if the task may mean several things, instead of '
                        'letting the model choose')
    samples: int = setting(1, 'plans drawn for a task that the grammar does not understand; needs '
                           'a temperature above 0', 1, 20)
    agreement: float = setting(0.7, 'share of the samples that must want the same; below it a '
                               'person is asked', 0, 1)
    opinions: int = setting(3, 'without tools, ask in so many forms for a task in plain English '
                            'that the grammar does not understand; more than half must want the '
                            'same, else a person is asked', 1, 3)
    record: str = setting('', 'file that keeps every exchange with the model; empty: none')
    replay: str = setting('', 'a recorded file; its answers replace the model')

    def __post_init__(self) -> None:
        if self.samples > 1 and self.temperature == 0:
            raise ConfigError(f'samples={self.samples} needs a temperature above 0 (or negative: '
                              'the server decides): at 0 all plans are the same')


@dataclass(frozen=True)
class Config:
    """All settings; the embedded defaults are in config/sim.yaml."""

    agent: AgentConfig = field(default_factory=AgentConfig)
    ik: IKConfig = field(default_factory=IKConfig)
    motion: MotionConfig = field(default_factory=MotionConfig)
    workspace: WorkspaceConfig = field(default_factory=WorkspaceConfig)
    robot: RobotConfig = field(default_factory=RobotConfig)
    scene_memory: SceneMemoryConfig = field(default_factory=SceneMemoryConfig)
    approval: ApprovalConfig = field(default_factory=ApprovalConfig)
    vlm: VLMConfig = field(default_factory=VLMConfig)
    robot_source: str = setting('mujoco', 'where the embedded robot comes from; over ROS it is '
                                'the driver', choices=('mujoco',), plug_ins=ROBOTS)
    hand_camera: str = setting('', 'file of calibrate --eye-in-hand, which says where the camera '
                               'on the hand is; empty: as in its drawing; over ROS it is TF')
    planner: str = setting('search', 'planner', choices=('search', 'stub', 'vlm'),
                           plug_ins=PLANNERS)
    motion_planner: str = setting('builtin', 'what plans motions',
                                  choices=('builtin',), plug_ins=MOTION_PLANNERS)
    viewpoint: str = setting('arm', 'whose left and right a task means: that of the arm, or of a '
                             'person who faces it', choices=('arm', 'person'))
    perception: str = setting('ground_truth', 'perception',
                              choices=('ground_truth', 'camera'), plug_ins=PERCEPTIONS)
    skills: tuple[str, ...] = setting((ALL,), 'skills of installed packages that plans may use; '
                                      '*: all in simulation, none on any other arm')
    perception_names: tuple[str, ...] = setting(
        (), 'names that the camera gives, each as "name colour size_x size_y size_z", m: to what '
        'is about so large and of that colour (any: of any colour)')
    point_at: tuple[str, ...] = setting((), 'what camera_vlm asks the model to point at when '
                                        "colour cannot name it; empty: the task's own words")
    approver: str = setting('none', 'approver; none denies, adaptive asks a person only when a '
                            'plan is risky, remote asks over ROS',
                            choices=('none', 'auto', 'adaptive', 'console', 'remote'))
