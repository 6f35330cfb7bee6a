"""Who hears what: each event and the tasks that it starts."""

from rensai.kit.events import Digest, Event, Subscriber
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers import door as readers
from rensai.rooms.search import tasks as search
from rensai.rooms.shelf import tasks as shelf

_refresh_entry = Digest(search.refresh, lambda event: event.story_id)

SUBSCRIPTIONS: dict[type[Event], tuple[Subscriber, ...]] = {
    catalogue.StoryChanged: (_refresh_entry,),
    catalogue.StoryDeleted: (_refresh_entry,),
    catalogue.StoryRecounted: (_refresh_entry,),
    catalogue.ChapterPublished: (_refresh_entry,),
    catalogue.ChapterChanged: (_refresh_entry,),
    catalogue.ChapterDeleted: (_refresh_entry,),
    catalogue.SourcePolicyChanged: (search.refresh_source,),
    catalogue.TaxonomyChanged: (search.refresh_taxonomy,),
    readers.AccountDeleted: (Digest(shelf.forget_reader, lambda event: event.user_id),),
}
