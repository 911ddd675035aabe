# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What others can be compared with: our agent, with less of its recovery and with all, and chance.

Each is a few lines on what the package offers to everybody.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from replan_agent_bench.suites.recovery_episode import OFF, PLAIN, WHOLE, column_config

from replan_agent import Agent, Config, TaskResult
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.failure import Attempt

from .episode import Episode
from .hanoi import TASK as HANOI
from .hanoi import HanoiPlanner
from .score import Score

CAMERA, RANDOM = 'camera', 'random'
RANDOM_S = 15.0  # robot time of the random policy
BLIND = (16, 16)  # px: it does not look
HANOI_STEPS = 60
OPENS = 'open'  # the skill that tells of locks
_WORDS = """
    moved = object_moved target_moved not_decided not_where_seen undone_by_another
    taken_away = taken_away
    not_seen = lost_from_view not_in_scene no_container
    exchanged = took_another neighbour_arrived
    dropped = slipped_in_carry
    slips = slipped_in_lift
    too_heavy = too_heavy
    too_wide = too_wide
    out_of_reach = beyond_reach just_out_of_reach near_edge no_posture
    blocked = boxed_in approach_blocked no_way_out unexpected_contact
    place_taken = target_occupied
    full = container_full no_free_spot does_not_fit
    would_not_stay = would_not_stay fell not_where_put
    camera = no_fresh_look seen_too_long_ago perception_lost
"""
WORD_OF = {cause: word.strip() for word, causes in (
    line.split(' = ') for line in _WORDS.strip().splitlines()) for cause in causes.split()}


def run_ours(config: Config, column: str, episode: Episode, video: Path | None = None) -> Score:
    """Our agent on the arm of the episode."""
    settings = replace(config, planner='search', perception='ground_truth', agent=column_config(
        config.agent, column if column in (OFF, PLAIN) else WHOLE))
    if column == CAMERA:
        settings = replace(settings, perception='camera')
    planner = HanoiPlanner() if episode.task == HANOI else None  # the search knows no such rule
    if planner is not None:
        settings = replace(settings, agent=replace(settings.agent, max_steps=HANOI_STEPS))
    cell = episode.cell
    assert isinstance(cell, MujocoCell)  # it is filmed
    with Agent(cell, config=settings, planner=planner, seed=episode.seed) as agent, \
            filmed(cell.world, video):
        return verdict(episode, agent.run(episode.task))


def verdict(episode: Episode, result: TaskResult) -> Score:
    """What the result says, in the words of the benchmark: what failed has given up."""
    found = {attempt.diagnosis.cause.value: attempt for attempt in result.attempts
             if attempt.diagnosis and attempt.diagnosis.cause}
    causes = result.causes or tuple(found)
    words = [_word(cause, found.get(cause)) for cause in (*causes, result.final_reason.value)]
    if not result.success:
        return episode.give_up(words[0])
    if causes:
        episode.report(words[0])
    return episode.done()


def _word(cause: str, attempt: Attempt | None) -> str:
    stuck = attempt is not None and attempt.skill == OPENS and cause not in WORD_OF
    return 'locked' if stuck else WORD_OF.get(cause, 'other')


def run_random(world: str, trouble: str, seed: int, solvable: bool) -> Score:
    """Actions drawn at random, for RANDOM_S; it claims nothing."""
    from .environment import Trouble

    env = Trouble(world, trouble, seed, solvable, picture=BLIND, limit_s=RANDOM_S)
    env.reset()
    env.action_space.seed(seed)
    while True:
        *_, over, late, info = env.step(env.action_space.sample())
        if over or late:
            env.close()
            score: Score = info['score']
            return score


