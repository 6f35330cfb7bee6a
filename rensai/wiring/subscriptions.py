"""Who hears what: each event and the tasks that it starts."""

from rensai.kit.events import Event
from rensai.kit.tasks import AnyTask

SUBSCRIPTIONS: dict[type[Event], tuple[AnyTask, ...]] = {}
