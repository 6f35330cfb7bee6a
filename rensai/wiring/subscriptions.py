"""Who hears what: each event and the tasks that it starts."""

from rensai.kit.events import Event, Subscriber

SUBSCRIPTIONS: dict[type[Event], tuple[Subscriber, ...]] = {}
