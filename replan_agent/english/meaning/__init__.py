"""Commands to goals in a scene: which objects, where, and what each verb means."""
