"""What the loop knows of its task: a value for each stage that changes it."""
