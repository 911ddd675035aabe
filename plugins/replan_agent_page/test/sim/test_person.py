# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person does in the simulated world, in real physics."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from replan_agent_page.serve.person import Person
from replan_agent_page.serve.station import TaskRefused
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.past_motion import motion_json
from web_servers import WAIT_S, Listener, WebArm, asked, web_arm

from replan_agent import Simulation
from replan_agent.domain.event import Event, PhaseStarted


@pytest.fixture
def sim() -> Iterator[Simulation]:
    with Simulation('tabletop') as made:
        yield made


def place(sim: Simulation, thing: str) -> list[float]:
    return [float(value) for value in sim.world.data.joint(thing).qpos[:3]]


def test_a_thing_is_put_on_whatever_is_there(sim: Simulation) -> None:
    x, y, z = place(sim, 'blue_cube')
    said = Person(sim).move('red_cube', x, y)
    assert place(sim, 'red_cube') == pytest.approx([x, y, z + 0.04], abs=1e-3)
    assert said == f'red_cube was moved to x={x:.3f}, y={y:.3f} m'
    Person(sim).move('red_cube', 0.5, 0.3)
    assert place(sim, 'red_cube')[:2] == pytest.approx(place(sim, 'bowl')[:2], abs=0.03)
    assert sim.run('pick up the blue cube').success


def test_a_push_slides_a_thing_until_friction_stops_it(sim: Simulation) -> None:
    x, y, z = place(sim, 'blue_cube')
    Person(sim).push('blue_cube', -math.pi / 2)
    assert place(sim, 'blue_cube') == pytest.approx([x, y - 0.05, z], abs=0.025)
    assert max(abs(sim.world.data.joint('blue_cube').qvel)) < 1e-2


def test_what_is_taken_away_is_out_of_reach(sim: Simulation) -> None:
    Person(sim).remove('red_cube')
    assert place(sim, 'red_cube')[2] < -0.5
    result = sim.run('pick up the red cube')
    assert not result.success


def test_what_cannot_be_touched_is_refused_with_what_can(sim: Simulation) -> None:
    person, before = Person(sim), sim.world.data.qpos.tobytes()
    with pytest.raises(TaskRefused, match="no thing 'table' can be touched; there are: red_cube"):
        person.move('table', 0.5, 0.0)
    for x in (9.0, float('nan')):
        with pytest.raises(TaskRefused, match='within 2 m'):
            person.move('red_cube', x, 0.0)
    with pytest.raises(TaskRefused, match='m/s'):
        person.push('red_cube', 0.0, 40.0)
    assert sim.world.data.qpos.tobytes() == before


@pytest.fixture
def in_the_middle(sim: Simulation, monkeypatch: pytest.MonkeyPatch
                  ) -> Iterator[Callable[[Callable[[], str]], Callable[[Event], None]]]:
    """Makes an `on_event` that lets a person act in another thread in the next descent."""
    waits, on_step, people = threading.Event(), sim.world.on_step, []

    def noted(*given: Any) -> Any:
        end = on_step(*given)
        waits.set()
        return end

    def made(act: Callable[[], str]) -> Callable[[Event], None]:
        person = threading.Thread(target=act)

        def on_event(event: Event) -> None:
            if isinstance(event, PhaseStarted) and event.phase == 'descend' and not people:
                monkeypatch.setattr(sim.world, 'on_step', noted)
                people.append(person)
                person.start()
                assert waits.wait(WAIT_S)

        return on_event

    yield made
    for person in people:
        person.join()


def test_a_thing_that_is_moved_while_the_hand_comes_is_picked_after_all(
    sim: Simulation, in_the_middle: Any
) -> None:
    act = in_the_middle(lambda: Person(sim).move('red_cube', 0.55, 0.2))
    result = sim.run('pick up the red cube', on_event=act)
    assert result.success and len(result.attempts) == 1


def test_a_thing_is_added_in_the_middle_of_a_motion_and_seen_in_its_replay(
    sim: Simulation, in_the_middle: Any, tmp_path: Path
) -> None:
    act = in_the_middle(lambda: Person(sim).add('purple_ball', 0.6, 0.3))
    result = sim.run('put the red cube in the bowl', on_event=act, out=tmp_path / 'run')
    assert result.success and place(sim, 'purple_ball')[2] > 0
    assert 'purple_ball' in (tmp_path / 'run' / 'motion.jsonl').read_text()
    motion = json.loads(motion_json(tmp_path / 'run'))
    assert motion['solids']['is_true'] and 'purple_ball' in motion['solids']['things']


def at_one_step(sim: Simulation, monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], str]
                ) -> list[str]:
    """What people are told whose hands come between the same two steps of a task."""
    waiting, on_step, told = threading.Semaphore(0), sim.world.on_step, list[str]()

    def noted(*given: Any) -> Any:
        end = on_step(*given)
        waiting.release()
        return end

    def person(act: Callable[[], str]) -> None:
        try:
            told.append(act())
        except TaskRefused as error:
            told.append(f'refused: {error}')

    monkeypatch.setattr(sim.world, 'on_step', noted)
    people = [threading.Thread(target=person, args=(act,)) for act in acts]
    for one in people:
        one.start()
        assert waiting.acquire(timeout=WAIT_S)
    sim.world.step(2)
    for one in people:
        one.join()
    return told


def test_two_of_a_kind_that_are_added_at_once_have_two_names(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(sim).during_a_task()
    told = at_one_step(sim, monkeypatch, *[lambda: person.add('orange_cube', 0.6, 0.3)] * 2)
    assert sorted(one.split()[0] for one in told) == ['orange_cube', 'orange_cube_2']
    assert {'orange_cube', 'orange_cube_2'} <= set(person.things)


def test_what_goes_wrong_in_a_touch_is_told_to_the_person_and_leaves_world_and_task_alone(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(looks: object) -> None:
        raise ValueError('it cannot be built')

    person, before = Person(sim).during_a_task(), sim.world.data.qpos.tobytes()
    monkeypatch.setattr(type(sim.world), 'compiled', lambda self, looks: fails(looks))
    (told,) = at_one_step(sim, monkeypatch, lambda: person.add('orange_cube', 0.6, 0.3))
    assert told == 'refused: that cannot be done: it cannot be built'
    assert 'orange_cube' not in person.things and len(sim.world.data.qpos.tobytes()) == len(before)


@pytest.fixture
def arm(tmp_path: Path) -> Iterator[WebArm]:
    with web_arm(tmp_path / 'runs', Tokens(watch='w' * 32, act='a' * 32)) as made:
        yield made


def test_a_touch_during_a_task_needs_the_right_and_is_in_the_record(arm: WebArm) -> None:
    act = {'Authorization': f'Bearer {"a" * 32}'}
    move: dict[str, Any] = {'do': 'move', 'thing': 'red_cube', 'x': 0.5, 'y': 0.15, 'who': 'anna'}
    assert asked(arm.port, '/api/touch', move, Authorization=f'Bearer {"w" * 32}')[0] == 403
    run = asked(arm.port, '/api/task', {'task': 'pick up the red cube'}, **act)[1]['run']
    listening = Listener(arm.port, **act)
    question = listening.question()['number']
    assert asked(arm.port, '/api/touch', {**move, 'x': 'far'}, **act)[0] == 400
    assert asked(arm.port, '/api/touch', {**move, 'do': 'eat'}, **act)[0] == 400
    assert asked(arm.port, '/api/touch', move, **act)[0] == 200  # it waits for an answer
    at = arm.station.shown.world.data.joint('red_cube').qpos[:2]
    assert list(at) == pytest.approx([0.5, 0.15], abs=1e-3)
    asked(arm.port, '/api/answer', {'question': question, 'choice': 'no'}, **act)
    listening.until('task_finished')
    listening.close()
    people = (arm.desk.runs / run / 'people.jsonl').read_text()
    assert 'touched the world' in people and 'red_cube was moved to x=0.500' in people


def test_what_is_added_is_taken_like_all_else(sim: Simulation) -> None:
    person, before = Person(sim), place(sim, 'bowl')
    assert person.add('orange_cube', 0.5, 0.0) == 'orange_cube was added at x=0.500, y=0.000 m'
    assert person.add('orange_cube', 0.5, 0.0).startswith('orange_cube_2 was added')
    assert place(sim, 'orange_cube_2')[2] == pytest.approx(0.06, abs=2e-3), 'on the first one'
    assert place(sim, 'bowl') == pytest.approx(before, abs=1e-4)
    assert sim.run('put the orange cube 2 in the bowl').success
    assert person.move('orange_cube', 0.45, -0.1).startswith('orange_cube was moved')
    with pytest.raises(TaskRefused, match="no 'elephant' can be added; there are: orange_cube, "):
        person.add('elephant', 0.5, 0.0)
