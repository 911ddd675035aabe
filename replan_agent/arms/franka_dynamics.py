"""Masses, inertias and servo gains of the Franka arms.

Panda: identified by Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca, "Dynamic Identification
of the Franka Emika Panda Robot With Retrieval of Feasible Parameters" (RA-L 2019). FR3: published
by Franka. The tensors are about the centre of mass, in the link's DH frame.
"""

from __future__ import annotations

from .arm_model import Dynamics, Inertia

PANDA_LINKS = (
    Inertia(0.629769, (-0.041018, -0.00014, 0.049974),
            (3.15e-3, 3.88e-3, 4.285e-3, 8.2904e-7, 1.5e-4, 8.2299e-6)),
    Inertia(4.970684, (0.003875, 0.002081, -0.04762),
            (0.70337, 0.70661, 9.117e-3, -1.39e-4, 6.772e-3, 1.9169e-2)),
    Inertia(0.646926, (-0.003141, -0.02872, 0.003495),
            (7.962e-3, 2.811e-2, 2.5995e-2, -3.925e-3, 1.0254e-2, 7.04e-4)),
    Inertia(3.228604, (2.7518e-2, 3.9252e-2, -6.6502e-2),
            (3.7242e-2, 3.6155e-2, 1.083e-2, -4.761e-3, -1.1396e-2, -1.2805e-2)),
    Inertia(3.587895, (-5.317e-2, 0.104419, 2.7454e-2),
            (2.5853e-2, 1.9552e-2, 2.8323e-2, 7.796e-3, -1.332e-3, 8.641e-3)),
    Inertia(1.225946, (-1.1953e-2, 4.1065e-2, -3.8437e-2),
            (3.5549e-2, 2.9474e-2, 8.627e-3, -2.117e-3, -4.037e-3, 2.29e-4)),
    Inertia(1.666555, (6.0149e-2, -1.4117e-2, -1.0517e-2),
            (1.964e-3, 4.354e-3, 5.433e-3, 1.09e-4, -1.158e-3, 3.41e-4)),
    Inertia(0.735522, (1.0517e-2, -4.252e-3, 6.1597e-2),
            (1.2516e-2, 1.0027e-2, 4.815e-3, -4.28e-4, -1.196e-3, -7.41e-4)),
)
FR3_LINKS = (
    Inertia(2.3966, (-0.0172, 0.0004, 0.0745), (9.0e-3, 1.15e-2, 8.5e-3, 0.0, 2.0e-3, 0.0)),
    Inertia(2.9274653, (4.128e-7, -0.0181251, -0.0386036),
            (2.392732e-2, 2.248216e-2, 6.350098e-3, 1.33179e-5, -1.140477e-4, -1.995032e-3)),
    Inertia(2.9355370, (0.0031829, -0.0743222, 0.0088146),
            (4.193895e-2, 2.514515e-2, 6.170214e-2, 2.025733e-4, 4.077784e-3, -4.225216e-3)),
    Inertia(2.2449014, (0.0407016, -0.0048201, -0.0289731),
            (2.410143e-2, 1.974053e-2, 1.904449e-2, 2.404695e-3, -2.856269e-3, -2.104213e-3)),
    Inertia(2.6155956, (-0.0459101, 0.0630493, -0.0085188),
            (3.452998e-2, 2.888162e-2, 4.125471e-2, 1.322552e-2, 1.015143e-2, -9.762834e-4)),
    Inertia(2.3271208, (-0.0016040, 0.0292536, -0.0972966),
            (5.161028e-2, 4.78773e-2, 1.642363e-2, -5.715173e-3, -3.567317e-3, 1.067399e-2)),
    Inertia(1.8170377, (0.0597131, -0.0410295, -0.0101693),
            (5.412334e-3, 1.405833e-2, 1.608082e-2, 6.193456e-3, 1.421929e-3, -1.314075e-3)),
    Inertia(0.6271433, (0.0045226, 0.0086262, -0.0161633),
            (2.109239e-4, 1.771857e-4, 5.993191e-5, -2.433299e-5, 4.56448e-5, 8.74407e-5)),
)
LINKS = {'panda': PANDA_LINKS, 'fr3': FR3_LINKS}
HAND = Inertia(0.73, (-0.01, 0.0, 0.03), (1.0e-3, 2.5e-3, 1.7e-3, 0.0, 0.0, 0.0))
FINGER = Inertia(0.015, (0.0, 0.01, 0.03), (2.375e-6, 2.375e-6, 7.5e-7, 0.0, 0.0, 0.0))


def dynamics_of(model: str) -> Dynamics:
    """The arm with its hand. The motors' inertia is as Franka publishes it for the FR3.

    Joint servos are near critical damping at the arm's largest inertia. Without damping, fingers
    that lose an object snap shut.
    """
    return Dynamics(
        LINKS[model], HAND, FINGER,
        armature=(0.605721, 0.605721, 0.462474, 0.462474, 0.205544, 0.205544, 0.205544),
        joint_damping=1.0, stiffness=(4500.0, 4500.0, 3500.0, 3500.0, 2000.0, 2000.0, 2000.0),
        servo_damping=(250.0, 250.0, 150.0, 150.0, 60.0, 60.0, 60.0), gripper_stiffness=4000.0,
        gripper_damping=20.0, grasp_target_m=-0.02, finger_armature=0.5, finger_damping=150.0)
