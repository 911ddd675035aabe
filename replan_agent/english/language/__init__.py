"""From the words of a task to commands, and from these to goals in a scene."""
