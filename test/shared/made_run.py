# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A small run folder, written by hand: two attempts of a pick, the second after a retry."""

from __future__ import annotations

import json
from pathlib import Path

JOINTS = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
CUBE = {'name': 'cube', 'shape': 'box', 'size': [0.04, 0.04, 0.04], 'colour': 'red',
        'pose': {'position': [0.5, 0.0, 0.02], 'quaternion_wxyz': [1, 0, 0, 0]}, 'movable': True,
        'confidence': 1.0, 'seen_at': 0.0}
STEP = {'step_number': 1, 'skill': 'pick', 'args': {'object': 'cube'}, 'description': 'Pick it up',
        'expected_change': ''}


def result(success, **changes):
    return {'success': success, 'reason': None if success else 'grasp_missed',
            'reason_detail': '', 'stage': None if success else 'execution', 'ik': None,
            'evidence': {}, 'cause': None, 'blockers': [], **changes}


def events():
    def event(robot_s, kind, **values):
        return {'event': kind, 'wall_s': robot_s, 'robot_s': robot_s, **values}

    def started(robot_s, retry):
        return event(robot_s, 'step_started', step_idx=0, plan_version=1, step=STEP, retry=retry,
                     local_state='')

    def ended(robot_s, **values):
        return event(robot_s, 'step_finished', step_idx=0, plan_version=1, step=STEP,
                     duration_s=0.1, result=result(**values))

    def phase(robot_s, name):
        return event(robot_s, 'phase_started', step_idx=0, skill='pick', phase=name)

    plan = {'version': 1, 'parent': None, 'cause': 'initial', 'reason': '', 'context': {},
            'task': 'pick up the cube', 'planner': 'search', 'scene_id': 'scene-1',
            'steps': [STEP], 'goals': [], 'adaptations': []}
    scene = {'scene_id': 'scene-1', 'stamp': 0.0, 'perception': 'ground_truth',
             'frame': 'panda_link0', 'held': None, 'stale': False, 'objects': [CUBE],
             'warnings': []}
    return [
        event(0.0, 'task_started', task='pick up the cube', planner='search',
              perception='ground_truth', config={}, facts={
                  'robot': 'mujoco', 'scene': 'pick_cube', 'seed': 0, 'arm_model': 'panda',
                  'base_frame': 'panda_link0', 'settings': {}, 'versions': {}}),
        event(0.0, 'scene_perceived', scene=scene, duration_s=0.1),
        event(0.0, 'plan_made', plan=plan, duration_s=0.1),
        started(0.0, retry=0), phase(0.0, 'approach'), phase(0.1, 'grasp'),
        ended(0.2, success=False, cause='slipped'),
        started(0.2, retry=1), phase(0.2, 'approach'), phase(0.3, 'grasp'),
        ended(0.4, success=True),
        event(0.4, 'task_finished', success=True, final_reason='plan_complete', final_detail=''),
    ]


def motion():
    yield {'format': 1, 'period_s': 0.04}
    for k in range(11):
        yield {'t': round(0.04 * k, 6), 'q': [JOINTS[0] + 0.01 * k, *JOINTS[1:]],
               'w': 0.08 - 0.004 * k, 'c': 0.08 if k < 5 else 0.0,
               **({'objects': {'cube': [0.5, 0.0, 0.02 + 0.01 * k, 1, 0, 0, 0]}}
                  if k in (0, 10) else {})}


def made_run(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, values in (('events.jsonl', events()), ('motion.jsonl', motion())):
        (folder / name).write_text(''.join(json.dumps(value) + '\n' for value in values))
    return folder
