"""Things with joints, contact motion, and skills that stay in contact."""
