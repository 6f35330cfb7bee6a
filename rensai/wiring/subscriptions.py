"""Who hears what: each event and the tasks that it starts."""

from rensai.kit.events import Digest, Event, Subscriber, Within
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers import events as readers_news
from rensai.rooms.readers import tasks as readers
from rensai.rooms.search import tasks as search
from rensai.rooms.shelf import door as shelf
from rensai.rooms.shelf import tasks as shelf_tasks
from rensai.rooms.talk import door as talk
from rensai.rooms.talk import tasks as talk_tasks
from rensai.wiring.belongings import export_archive, import_archive

_of_account = Digest(readers.forget_archives, lambda event: event.user_id)
_refresh_entry = Digest(search.refresh, lambda event: event.story_id)
_count_reactions = Digest(
    talk_tasks.count_reactions, lambda event: event.comment_id, after=talk.COUNT_AFTER
)
_forget_searches = Digest(search.forget_reader, lambda event: event.user_id)
_forget_shelf = Digest(shelf_tasks.forget_reader, lambda event: event.user_id)
_forget_talk = Digest(talk_tasks.forget_reader, lambda event: event.user_id)

SUBSCRIPTIONS: dict[type[Event], tuple[Subscriber, ...]] = {
    catalogue.StoryChanged: (_refresh_entry,),
    catalogue.StoryDeleted: (_refresh_entry,),
    catalogue.StoriesCounted: (Within(shelf.count_opinions),),
    catalogue.StoryRecounted: (_refresh_entry,),
    catalogue.ChapterPublished: (_refresh_entry,),
    catalogue.ChapterChanged: (_refresh_entry,),
    catalogue.ChapterDeleted: (_refresh_entry,),
    catalogue.SourcePolicyChanged: (search.refresh_source,),
    catalogue.TaxonomyChanged: (search.refresh_taxonomy,),
    readers_news.AccountDeleted: (_of_account, _forget_searches, _forget_shelf, _forget_talk),
    readers_news.ResetAsked: (readers.send_reset,),
    readers_news.VerificationAsked: (readers.send_verification,),
    readers_news.PasswordChanged: (readers.tell_password_changed,),
    readers_news.EmailChanged: (readers.tell_email_changed,),
    readers_news.ExportAsked: (export_archive,),
    readers_news.ImportAsked: (import_archive,),
    talk.ReactionsChanged: (_count_reactions,),
}
