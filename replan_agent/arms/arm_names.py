"""The names of the arms, for the settings."""

ARM_NAMES = ('panda', 'fr3')
DEFAULT_ARM = 'panda'
NEWEST_ARM = 'fr3'  # that a new cell has, or Gazebo


def base_frame(arm: str) -> str:
    """The frame that an arm's poses are in."""
    return f'{arm}_link0'
