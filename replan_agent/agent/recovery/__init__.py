"""What the loop does about a failed step: changes, small actions around it, a question."""
