"""What was learnt from a real failure helps the next time, in another place: real physics."""

from __future__ import annotations

import pytest

from replan_agent.app.build.config_file import load_config
from replan_agent.bench.outcome import Job
from replan_agent.bench.suites.memory_episode import FIRST, OFF, OTHER, SECOND, run_life


@pytest.mark.parametrize(('row', 'cause'), [('slippery', 'slipped_in_lift'),
                                            ('blocked', 'unexpected_contact')])
def test_the_second_meeting_takes_fewer_picks_than_the_first_and_than_without_memory(row, cause):
    life = {o.column: o for o in run_life(load_config(), Job('memory', row, 1))}
    assert all(o.success and o.claimed for o in life.values())
    assert set(life[FIRST].causes) == {cause} == set(life[OFF].causes)
    assert life[SECOND].picks == 1 and life[SECOND].adapted
    assert life[FIRST].picks >= 2 and life[OFF].picks >= 2
    assert life[OTHER].picks == 1 and not life[OTHER].adapted
