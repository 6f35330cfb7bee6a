"""Our request: Litestar's, with bodies read strictly and within their limits."""

from typing import Any

from litestar import Request
from litestar.datastructures import State
from litestar.datastructures.multi_dicts import FormMultiDict
from litestar.enums import RequestEncodingType
from litestar.params import BodyKwarg
from litestar.types import Empty

from rensai.kit.errors import Invalid
from rensai.kit.web import bodies

_FORM = "application/x-www-form-urlencoded"


class StrictRequest(Request[Any, Any, State]):
    """Decodes JSON straight into the handler's type, and forms without remembering them.

    Litestar keeps the last thousand forms it has parsed, passwords included, and converts JSON
    loosely ("5" is a number); neither will do.
    """

    async def body(self) -> bytes:
        """The body, unpacked; the limit of the route holds for both of its sizes."""
        if self._body is Empty:
            packed = await super().body()
            encoding = self.headers.get("content-encoding", "").strip().lower()
            if encoding and packed:
                limit = self.route_handler.resolve_request_max_body_size() or float("inf")
                packed = bodies.unpack(packed, encoding, limit)
            if not packed and self._wants_json():
                raise Invalid(
                    details=[{"path": "", "in": "body", "message": "A JSON body is required."}]
                )
            self._body = self._connection_state.body = packed
            if self.content_type[0] == _FORM and self._connection_state.form is Empty:
                self._connection_state.form = bodies.decode_form(packed)
        return self._body

    def _wants_json(self) -> bool:
        field = self.route_handler.parsed_data_field
        if field is None or field.has_default or field.is_optional:
            return False
        kwarg = field.kwarg_definition
        media_type = kwarg.media_type if isinstance(kwarg, BodyKwarg) else RequestEncodingType.JSON
        return media_type == RequestEncodingType.JSON

    async def json(self) -> Any:
        """The body as the type of the handler's `data`."""
        if self._json is Empty:
            body = await self.body()
            bodies.require_json(self.content_type[0])
            field = self.route_handler.parsed_data_field
            self._json = bodies.decode_json(body, Any if field is None else field.annotation)
        return self._json

    async def form(self) -> FormMultiDict:
        """The fields of a form."""
        if self.content_type[0] == _FORM:
            await self.body()
        return await super().form()
