# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The camera: what it shows is where its numbers say."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco import painter
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.mjcf.scene_mjcf import SKY
from replan_agent.robot.mujoco.painter import Painter
from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec, Colour, ObjectSpec, SceneSpec
from replan_agent.robot.mujoco.world import World

SCENES = Path(__file__).resolve().parents[3] / 'config' / 'scenes'
BALL = ObjectSpec('ball', Shape.SPHERE, (0.06, 0.06, 0.06), Colour.named('red'), fixed=True)
VIEWS = (CameraSpec(), CameraSpec(position=(0.5, 0.0, 1.2), look_at=(0.5, 0.0, 0.0)),
         CameraSpec(position=(0.9, -0.8, 0.5), look_at=(0.5, 0.1, 0.0), fovy=60, size=(321, 243)))


def projected(frame: CameraFrame, point: tuple[float, float, float]) -> FloatArray:
    """Column, row and depth (m) of a point of the base frame."""
    T_camera_base = np.linalg.inv(frame.T_base_camera.matrix())
    x = frame.intrinsics @ (T_camera_base @ [*point, 1.0])[:3]
    return np.array([x[0] / x[2], x[1] / x[2], x[2]])


def red(rgb: FloatArray) -> FloatArray:
    r, g, b = (rgb[..., i].astype(int) for i in range(3))
    return (r > 90) & (r > 2 * g) & (r > 2 * b)


@pytest.mark.gl
@pytest.mark.parametrize('view', VIEWS)
@pytest.mark.parametrize('xy', [(0.5, 0.1), (0.6, -0.2), (0.35, 0.25)])
def test_an_object_is_seen_where_it_is(view, xy) -> None:
    ball = replace(BALL, position=(*xy, None))
    world = World(SceneSpec('one', objects=(ball,), camera=view), PANDA)
    frame = MujocoCamera(world).capture(Context())
    u, v, z = projected(frame, world.true_objects()[1].position)
    rows, columns = np.nonzero(red(frame.rgb))
    assert abs(columns.mean() - u) < 2 and abs(rows.mean() - v) < 2
    # The pixel sees the ball's near side, one radius before its centre along the ray.
    ray = np.linalg.inv(frame.intrinsics) @ [round(u), round(v), 1.0]
    near = z - 0.03 / np.linalg.norm(ray)
    assert frame.depth[round(v), round(u)] == pytest.approx(near, abs=0.004)


@pytest.mark.gl
def test_a_point_of_the_depth_image_lies_on_the_table() -> None:
    world = World(SceneSpec('empty', camera=VIEWS[1]), PANDA)
    frame = MujocoCamera(world).capture(Context())
    for column, row in ((300, 100), (100, 400), (500, 300)):
        ray = np.linalg.inv(frame.intrinsics) @ [column, row, 1.0]
        point = frame.T_base_camera.matrix() @ [*(frame.depth[row, column] * ray), 1.0]
        if abs(point[2]) < 0.1:  # not the arm
            assert point[2] == pytest.approx(0.0, abs=0.003)


@pytest.mark.gl
def test_depth_is_zero_where_there_is_nothing_in_range() -> None:
    up = CameraSpec(position=(1.0, 0.0, 0.5), look_at=(2.0, 0.0, 1.5))
    frame = MujocoCamera(World(SceneSpec('empty', camera=up), PANDA)).capture(Context())
    assert not frame.depth.any()


@pytest.mark.gl
def test_a_frame_has_the_size_of_the_scene_file_and_the_time_of_the_world() -> None:
    world = World(SceneSpec('empty', camera=replace(VIEWS[0], size=(160, 120))), PANDA)
    world.step(50)
    frame = MujocoCamera(world).capture(Context())
    assert frame.rgb.shape == (120, 160, 3) and frame.rgb.dtype == np.uint8
    assert frame.depth.shape == (120, 160) and frame.stamp == pytest.approx(0.1)


@pytest.mark.gl
def test_pictures_come_in_any_size() -> None:
    camera = MujocoCamera(World(SceneSpec('empty'), PANDA), pretty=True)
    assert camera.render_rgb(320, 200).shape == (200, 320, 3)
    assert camera.render_rgb(200, 320).shape == (320, 200, 3)
    camera.close()


def with_sky_drawn(world, monkeypatch) -> CameraFrame:
    monkeypatch.setattr(painter, '_flat_sky', lambda model: None)
    return MujocoCamera(world).capture(Context())


@pytest.mark.gl
def test_a_sky_that_is_filled_in_looks_like_one_that_is_drawn(monkeypatch) -> None:
    world = World(load_scene('tabletop', SCENES), PANDA)
    sky = painter._flat_sky(world.model)
    assert sky is not None and sky.tolist() == [int(255 * part) for part in SKY]
    filled, drawn = MujocoCamera(world).capture(Context()), with_sky_drawn(world, monkeypatch)
    assert (filled.rgb == drawn.rgb).all() and (filled.depth == drawn.depth).all()
    assert np.count_nonzero((drawn.rgb == sky).all(axis=2)) > 10_000


@pytest.mark.gl
@pytest.mark.parametrize('change', [
    lambda model: model.geom('floor').rgba.__setitem__(3, 0.5),
    lambda model: model.mat_rgba.__setitem__((slice(None), 3), 0.5),
    lambda model: model.geom('floor').size.__setitem__(slice(2), 0.0),
], ids=['half-clear floor', 'half-clear arm', 'endless floor'])
def test_a_sky_that_shines_through_is_drawn(change, monkeypatch) -> None:
    world = World(load_scene('tabletop', SCENES), PANDA)
    change(world.drawn()[0])
    seen, drawn = MujocoCamera(world).capture(Context()), with_sky_drawn(world, monkeypatch)
    assert (seen.rgb == drawn.rgb).all()


@pytest.mark.gl
def test_a_pretty_picture_has_shadows() -> None:
    world = World(load_scene('tabletop', SCENES), PANDA)
    plain, pretty = (MujocoCamera(world, pretty=p).render_rgb(320, 240) for p in (False, True))
    assert pretty.mean() < plain.mean() - 1


@pytest.mark.gl
def test_looking_after_a_move_shows_the_moved_object(make_bench, thing) -> None:
    bench = make_bench(thing())
    camera = MujocoCamera(bench.world)
    bench.grasp('cube')
    frame = camera.capture(Context())
    u, v, _ = projected(frame, bench.thing('cube').position)
    rows, columns = np.nonzero(red(frame.rgb))
    assert abs(columns.mean() - u) < 12 and abs(rows.mean() - v) < 12  # fingers hide a part


@pytest.mark.parametrize('name', ['tabletop', 'far_cube', 'pick_cube'])
def test_the_camera_of_a_shipped_scene_has_every_object_in_view(name) -> None:
    for seed in range(10):
        world = World(load_scene(name, SCENES), PANDA, seed=seed)
        camera = MujocoCamera(world)
        world.refresh_view()
        T_camera_base = np.linalg.inv(camera.pose().matrix())
        for thing in world.true_objects()[1:]:
            u, v, z = camera.intrinsics(640, 480) @ (T_camera_base @ [*thing.position, 1.0])[:3]
            assert 20 < u / z < 620 and 20 < v / z < 460, thing.name


def test_a_cancelled_capture_draws_nothing() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        MujocoCamera(World(SceneSpec('empty'), PANDA)).capture(Context(token))


def test_an_unknown_camera_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="no camera named 'wrist'; the world has: scene"):
        MujocoCamera(World(SceneSpec('empty'), PANDA), 'wrist')


@pytest.mark.gl
def test_one_camera_can_be_used_from_several_threads():
    camera = MujocoCamera(World(load_scene('pick_cube', SCENES), PANDA))
    first = camera.capture(Context()).rgb
    with ThreadPoolExecutor(3) as threads:
        others = list(threads.map(lambda _: camera.capture(Context()).rgb, range(6)))
    assert all(np.array_equal(first, other) for other in others)
    camera.close()


@pytest.mark.gl
def test_a_world_that_looks_the_same_is_not_drawn_again(make_bench, thing, monkeypatch) -> None:
    drawn, paint = [], Painter.paint
    monkeypatch.setattr(Painter, 'paint', lambda *args, **more: (drawn.append(1),
                                                                 paint(*args, **more))[1])
    bench = make_bench(thing())
    camera = MujocoCamera(bench.world)
    first, again = camera.capture(Context()), camera.capture(Context())
    assert len(drawn) == 1 and np.array_equal(first.rgb, again.rgb)
    assert np.array_equal(first.depth, again.depth)
    bench.grasp('cube')
    assert not np.array_equal(first.depth, camera.capture(Context()).depth) and len(drawn) == 2


@pytest.mark.gl
def test_a_picture_that_was_drawn_on_is_not_what_the_next_look_shows() -> None:
    camera = MujocoCamera(World(load_scene('pick_cube', SCENES), PANDA))
    first = camera.capture(Context())
    before = first.rgb.copy()
    first.rgb[:] = first.depth[:] = 0
    assert np.array_equal(camera.capture(Context()).rgb, before)


@pytest.mark.gl
def test_two_cameras_in_turn_both_show_what_moved(make_bench, thing) -> None:
    bench = make_bench(thing())
    small, large = MujocoCamera(bench.world), MujocoCamera(bench.world)
    before = small.render_rgb(160, 120), large.render_rgb(320, 240)
    bench.grasp('cube')
    after = small.render_rgb(160, 120), large.render_rgb(320, 240)
    for camera, size, then, now in zip((small, large), ((160, 120), (320, 240)), before, after):
        assert not np.array_equal(then, now)
        assert np.array_equal(now, MujocoCamera(bench.world).render_rgb(*size)), camera


@pytest.mark.gl
def test_cameras_that_come_and_go_leave_the_pictures_of_others_alone() -> None:
    camera = MujocoCamera(World(load_scene('tabletop', SCENES), PANDA))
    before = camera.render_rgb(160, 120)
    for seed in range(4):
        other = MujocoCamera(World(load_scene('pick_cube', SCENES), PANDA, seed=seed))
        assert not np.array_equal(other.render_rgb(160, 120), before)
        del other
        gc.collect()
        assert np.array_equal(camera.render_rgb(160, 120), before)


@pytest.mark.gl
def test_a_forked_process_says_that_it_cannot_draw() -> None:
    forked = """
import os
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
camera = MujocoCamera(World(SceneSpec('empty'), PANDA))
camera.render_rgb(64, 48)
if os.fork() == 0:
    try:
        camera.render_rgb(64, 48)
    except GraphicsUnavailable as error:
        os.write(1, str(error).encode())
    os._exit(0)
os.wait()
"""
    run = subprocess.run([sys.executable, '-c', forked], capture_output=True, text=True,
                         timeout=120, check=True)
    assert 'forked from one that draws' in run.stdout
