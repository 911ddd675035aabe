"""PLAN: from a task and a Scene to steps, validated before anything moves."""
