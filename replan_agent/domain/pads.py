"""What the distance between the pads says about what is between them."""

from __future__ import annotations

CLOSED_M = 0.002  # pads closer than this hold nothing
OPEN_M = 0.003  # nor do pads this close to fully open
SLIPPED_M = 0.004  # pads that moved more than this have let go,
LEAST_SHARE = 0.5  # or that are closer than this share of the width of the grasp


def have_let_go(grasp_m: float, now_m: float) -> bool:
    """Whether pads that held something `grasp_m` wide no longer hold it, now `now_m` apart.

    What is thinner than SLIPPED_M slips out and hardly moves them: closed pads hold nothing.
    """
    return (now_m <= CLOSED_M or abs(now_m - grasp_m) > SLIPPED_M
            or now_m < LEAST_SHARE * grasp_m)
