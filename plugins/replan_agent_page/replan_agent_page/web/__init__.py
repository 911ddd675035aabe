"""A page to watch tasks, approve plans and look at past runs."""
