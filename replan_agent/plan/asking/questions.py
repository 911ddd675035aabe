"""The question that the words of a task leave open, before a model chooses silently."""

from __future__ import annotations

from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.skill import Reason

from ..language.refusals import NotUnderstood, Open
from ..language.spelling import knows_words
from ..meaning.unclear import Unclear
from ..search import Search
from ..search_planner import SearchPlanner


def question_in_words(request: PlanRequest, viewpoint: str = 'arm') -> str:
    """What the grammar would ask about the task in this scene; '' if nothing.

    "The cube" among three is a question, "a cube" leaves the choice to the planner. What the
    grammar does not understand is for the model. Once a person has said more, or the task is
    under way, nothing is asked here.
    """
    if request.goals or request.completed or request.context.get('hints'):
        return ''
    alone = PlanRequest(request.task, request.scene, request.skills)
    try:
        why = SearchPlanner(viewpoint).read(alone, Search(alone.skills)).refusal
    except NotUnderstood:
        return ''
    except Open as question:
        return str(question) if knows_words(request.task, request.scene) else ''
    except Unclear as unclear:
        why = unclear
    which = why is not None and why.reason is Reason.AMBIGUOUS_OBJECT and len(why.candidates) > 1
    return str(why) if which else ''
