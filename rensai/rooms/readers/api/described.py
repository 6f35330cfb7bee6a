"""What the API's description says of bodies that are no JSON."""

from dataclasses import dataclass

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema


@dataclass
class ArchiveBody(Operation):
    """A route whose body is an archive."""

    def __post_init__(self) -> None:
        body = OpenAPIMediaType(Schema(type=OpenAPIType.STRING))
        self.request_body = RequestBody({"application/zip": body}, required=True)
