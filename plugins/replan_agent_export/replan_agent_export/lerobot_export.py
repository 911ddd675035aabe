# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writes recorded runs as a LeRobot dataset, version 3.0: an episode for each run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError
from replan_agent.record.motion_file import PERIOD_S
from replan_agent.record.picture import PictureError
from replan_agent.record.run_json import RunUnreadable
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.text.file_bytes import write_whole

from .frame_labels import frame_labels
from .recorded_run import RecordedRun
from .recorded_world import fresh_world, show
from .video_file import VideoFile

FPS = round(1 / PERIOD_S)
WIDTH, HEIGHT = 320, 240
VIDEO = 'observation.images.front'
FILES_IN_CHUNK = 1000
STATE = ('observation.state', 'action')
QUANTILES = {'q01': 0.01, 'q10': 0.1, 'q50': 0.5, 'q90': 0.9, 'q99': 0.99}
EVERY_FRAME = 10  # of the pictures is used for their statistics
SINGLE = {'timestamp': 'float32', 'frame_index': 'int64', 'episode_index': 'int64',
          'index': 'int64', 'task_index': 'int64', 'next.done': 'bool', 'next.success': 'bool',
          'phase': 'string', 'failure_cause': 'string', 'recovery': 'string'}
Stats = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class _Episode:
    """The columns of one run, and what is said about it as a whole."""

    columns: Mapping[str, Any]
    stats: Stats
    facts: Mapping[str, Any]


def write_lerobot(runs: Sequence[RecordedRun], folder: Path) -> int:
    """Write a new dataset; the number of its frames. Raises RunUnreadable."""
    tasks = list(dict.fromkeys(run.task for run in runs))
    episodes, frames = [], 0
    for number, run in enumerate(runs):
        episode = _episode(run, number, frames, tasks.index(run.task), folder)
        episodes.append(episode)
        frames += len(episode.columns['index'])
    models = sorted({str(run.fact('arm_model')) for run in runs})
    if len(models) > 1:
        raise RunUnreadable(f'the runs are of different arms: {", ".join(models)}; a dataset has '
                            'one')
    _write_data(episodes, folder)
    _write_meta(episodes, tasks, models[0], folder)
    return frames


def _episode(run: RecordedRun, number: int, first: int, task: int, folder: Path) -> _Episode:
    samples = _even(run)
    chunk, file = divmod(number, FILES_IN_CHUNK)
    video = f'videos/{VIDEO}/chunk-{chunk:03d}/file-{file:03d}.mp4'
    pictures = _film(run, samples, folder / video)
    count, indices = len(samples), np.arange(len(samples))
    try:
        labels = frame_labels(run, [sample.robot_s for sample in samples], PERIOD_S)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunUnreadable(f'{run.folder}: not the format of this version: '
                            f'{type(error).__name__}: {error}') from error
    state = np.array([[*s.joints, s.gripper_m] for s in samples], np.float32)
    columns = {
        'observation.state': state, 'action': _action(samples, state),
        'timestamp': (indices / FPS).astype(np.float32), 'frame_index': indices,
        'episode_index': np.full(count, number), 'index': first + indices,
        'task_index': np.full(count, task), 'next.done': indices == count - 1,
        'next.success': (indices == count - 1) & run.succeeded,
        **{key: [getattr(label, key) for label in labels]
           for key in ('phase', 'failure_cause', 'recovery')}}
    stats = {key: _stats(np.asarray(values, float).reshape(count, -1))
             for key, values in columns.items() if not isinstance(values, list)}
    stats[VIDEO] = _picture_stats(pictures)
    end = run.events[-1]
    return _Episode(columns, stats, {
        'episode_index': number, 'tasks': [run.task], 'length': count, 'data/chunk_index': 0,
        'data/file_index': 0, 'dataset_from_index': first, 'dataset_to_index': first + count,
        f'videos/{VIDEO}/chunk_index': chunk, f'videos/{VIDEO}/file_index': file,
        f'videos/{VIDEO}/from_timestamp': 0.0, f'videos/{VIDEO}/to_timestamp': count / FPS,
        'meta/episodes/chunk_index': 0, 'meta/episodes/file_index': 0,
        'success': run.succeeded, 'final_reason': str(end.get('final_reason', 'killed')),
        'run': run.folder.name})


def _even(run: RecordedRun) -> list[MotionSample]:
    """The samples of the motion, which must be evenly spaced: videos have no gaps."""
    samples = list(run.motion())
    if not samples:
        raise RunUnreadable(f'{run.folder}: its motion is empty')
    steps = np.diff([sample.robot_s for sample in samples])
    if len(steps) and np.abs(steps - PERIOD_S).max() > 1e-6:
        raise RunUnreadable(f'{run.folder}: its motion has gaps, so it cannot be a video')
    return samples


def _action(samples: Sequence[MotionSample], state: Any) -> Any:
    """Where the joints are one frame later, and the width that the gripper is told by then."""
    action = np.concatenate([state[1:], state[-1:]])
    told = [s.gripper_m if s.gripper_command_m is None else s.gripper_command_m for s in samples]
    action[:, -1] = [*told[1:], told[-1]]
    return action


def _film(run: RecordedRun, samples: Sequence[MotionSample], path: Path) -> FloatArray:
    """Write what the camera sees in each sample. Some of the pictures, for their statistics."""
    kept = []
    with fresh_world(run, perception='ground_truth') as sim:  # only its world is needed
        camera, video = MujocoCamera(sim.world), VideoFile(path, FPS)
        try:
            for number, sample in enumerate(samples):
                show(sim.world, sample)
                rgb = camera.render_rgb(WIDTH, HEIGHT)
                video.add(rgb)
                if number % EVERY_FRAME == 0:
                    kept.append(rgb.copy())
            video.close()
        except (CameraError, PictureError, KeyError) as error:  # KeyError: of another scene
            raise RunUnreadable(f'{run.folder}: its video cannot be made: {error}') from error
        finally:
            camera.close()
    return np.stack(kept)


def _stats(values: FloatArray) -> dict[str, Any]:
    """Numbers (n, k) in a few numbers for each of the k."""
    return {'min': values.min(0), 'max': values.max(0), 'mean': values.mean(0),
            'std': values.std(0), 'count': np.array([len(values)]),
            **{name: np.quantile(values, share, axis=0) for name, share in QUANTILES.items()}}


def _picture_stats(pictures: FloatArray) -> dict[str, Any]:
    """For each colour, from 0 to 1, in the shape (3, 1, 1)."""
    stats = _stats(pictures.reshape(-1, 3) / 255)
    return {name: value if name == 'count' else value.reshape(3, 1, 1)
            for name, value in stats.items()} | {'count': np.array([len(pictures)])}


def _write_data(episodes: Sequence[_Episode], folder: Path) -> None:
    columns: dict[str, Any] = {}
    for key in STATE:
        joined = np.concatenate([e.columns[key] for e in episodes])
        columns[key] = pa.FixedSizeListArray.from_arrays(pa.array(joined.ravel()), joined.shape[1])
    for key, kind in SINGLE.items():
        values = [value for e in episodes for value in e.columns[key]]
        columns[key] = pa.array(values, pa.bool_() if kind == 'bool' else kind)
    _write_table(pa.table(columns), folder / 'data/chunk-000/file-000.parquet')


def _write_meta(episodes: Sequence[_Episode], tasks: Sequence[str], model: str, folder: Path
                ) -> None:
    rows = [{**e.facts, **{f'stats/{key}/{name}': value.tolist() for key, stats in e.stats.items()
                           for name, value in stats.items()}} for e in episodes]
    _write_table(pa.Table.from_pylist(rows), folder / 'meta/episodes/chunk-000/file-000.parquet')
    table = pa.table({'task_index': list(range(len(tasks))), 'task': list(tasks)})
    _write_table(table.replace_schema_metadata({'pandas': json.dumps(_TASK_INDEX)}),
                 folder / 'meta/tasks.parquet')
    _write_json(_all_stats(episodes), folder / 'meta/stats.json')
    _write_json(_info(episodes, len(tasks), model, folder), folder / 'meta/info.json')


# Readers with pandas find a task by its sentence, the index of the table.
_TASK_INDEX: dict[str, Any] = {
    'index_columns': ['task'], 'column_indexes': [], 'columns': [
        {'name': 'task_index', 'field_name': 'task_index', 'pandas_type': 'int64',
         'numpy_type': 'int64', 'metadata': None},
        {'name': 'task', 'field_name': 'task', 'pandas_type': 'unicode', 'numpy_type': 'object',
         'metadata': None}]}


def _all_stats(episodes: Sequence[_Episode]) -> dict[str, Any]:
    """The statistics of all frames, put together from those of the episodes by their length."""
    found: dict[str, Any] = {}
    for key in episodes[0].stats:
        each = [e.stats[key] for e in episodes]
        counts = [int(stats['count'][0]) for stats in each]
        centre = np.average([s['mean'] for s in each], axis=0, weights=counts)
        spread = np.average([s['std'] ** 2 + (s['mean'] - centre) ** 2 for s in each], axis=0,
                            weights=counts)
        found[key] = {
            'min': np.min([s['min'] for s in each], axis=0),
            'max': np.max([s['max'] for s in each], axis=0), 'mean': centre,
            'std': np.sqrt(spread), 'count': np.array([sum(counts)]),
            **{name: np.average([s[name] for s in each], axis=0, weights=counts)
               for name in QUANTILES}}
    return {key: {name: value.tolist() for name, value in stats.items()}
            for key, stats in found.items()}


def _info(episodes: Sequence[_Episode], tasks: int, model: str, folder: Path) -> dict[str, Any]:
    motors = [*arm_named(model).joint_names, 'gripper_width']
    video = {'dtype': 'video', 'shape': [HEIGHT, WIDTH, 3],
             'names': ['height', 'width', 'channels'],
             'info': {'video.height': HEIGHT, 'video.width': WIDTH, 'video.channels': 3,
                      'video.codec': _codec(next(folder.glob('videos/*/*/*.mp4'))),
                      'video.pix_fmt': 'yuv420p', 'video.is_depth_map': False, 'video.fps': FPS,
                      'has_audio': False}}
    return {
        'codebase_version': 'v3.0', 'robot_type': f'franka_{model}',
        'total_episodes': len(episodes),
        'total_frames': sum(len(e.columns['index']) for e in episodes), 'total_tasks': tasks,
        'chunks_size': FILES_IN_CHUNK, 'data_files_size_in_mb': 100,
        'video_files_size_in_mb': 200, 'fps': FPS, 'splits': {'train': f'0:{len(episodes)}'},
        'data_path': 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet',
        'video_path': 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4',
        'features': {
            **{key: {'dtype': 'float32', 'shape': [len(motors)], 'names': motors}
               for key in STATE},
            VIDEO: video,
            **{key: {'dtype': kind, 'shape': [1], 'names': None} for key, kind in SINGLE.items()}}}


def _codec(video: Path) -> str:
    """The codec's usual name; OpenCV chose the first that it can write."""
    file = cv2.VideoCapture(str(video))
    four = int(file.get(cv2.CAP_PROP_FOURCC))
    file.release()
    name = four.to_bytes(4, 'little').decode('ascii', 'replace')
    return {'vp09': 'vp9', 'VP90': 'vp9', 'mp4v': 'mpeg4', 'FMP4': 'mpeg4'}.get(name, name)


def _write_table(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def _write_json(value: Any, path: Path) -> None:
    write_whole(path, json.dumps(value, indent=4, ensure_ascii=False) + '\n')
