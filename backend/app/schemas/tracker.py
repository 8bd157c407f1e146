"""What the tracker's webhook delivers, of which only this is read."""

from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from backend.app.schemas.base import WireModel


class DeliveredIssue(WireModel):
    """The issue that something happened to."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    updated_at: AwareDatetime
    pull_request: dict[str, Any] | None = None


class DeliveredRepository(WireModel):
    """The repository that it stands in."""

    full_name: Annotated[str, Field(max_length=200)]


class Delivery(WireModel):
    """Something that happened."""

    action: Annotated[str, Field(max_length=100)]
    issue: DeliveredIssue
    repository: DeliveredRepository
