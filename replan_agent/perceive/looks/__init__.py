"""From the looks of one or several cameras to a scene."""
