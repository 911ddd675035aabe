"""Keep-out zones as obstacles of a collision checker."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject

from .motion_protocols import CollisionChecker, Contact, MotionRequest


class WithZones:
    """A collision checker that adds the keep-out zones to every scene."""

    def __init__(self, checker: CollisionChecker, zones: tuple[SceneObject, ...]) -> None:
        self._zones = zones
        self._zone_names = {zone.name for zone in zones}
        self._use, self._first_contact = checker.use, checker.first_contact
        self.clearance = checker.clearance

    def use(self, request: MotionRequest) -> None:
        scene = replace(request.scene, objects=(*request.scene.objects, *self._zones))
        self._use(replace(request, scene=scene))

    def first_contact(self, joints: FloatArray) -> Contact | None:
        """The contact. A zone is in the way, but it is not an object of the scene."""
        contact = self._first_contact(joints)
        if contact is None or self._zone_names.isdisjoint(contact.blockers):
            return contact
        return replace(contact, blockers=tuple(
            name for name in contact.blockers if name not in self._zone_names))
