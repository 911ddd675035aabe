"""What a port raises where it has no answer."""


class PerceptionError(Exception):
    """No scene is available; the message says why."""


class PerceptionGone(PerceptionError):
    """Whoever should look is not there: to look again does not help."""


class NodeLost(Exception):
    """The node did not answer. The message names it and how long we waited."""


class RehearsalError(Exception):
    """A plan cannot be rehearsed in this scene; the message says why."""
