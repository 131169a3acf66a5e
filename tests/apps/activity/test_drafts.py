"""What was typed is kept, and never replaced by what another window holds."""

import pytest

from apps.activity import services
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import Draft
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def form():
    """Whose form it is, where, and its key."""
    return {"user": make_user(), "project": make_project(), "key": "settings"}


def save(form, text, version):
    return services.save_draft(**form, body={"text": text}, version=version)


def test_each_save_is_one_version_further(form):
    versions = [save(form, text, known).version for known, text in enumerate("abc")]

    assert versions == [1, 2, 3]


def test_a_window_that_knows_an_older_version_gets_both_texts(form):
    save(form, "theirs", 0)

    with pytest.raises(Conflict) as refused:
        save(form, "mine", 0)

    told = refused.value.extra
    assert (told["mine"], told["theirs"], told["version"]) == (
        {"text": "mine"},
        {"text": "theirs"},
        1,
    )
    assert Draft.objects.get().body == {"text": "theirs"}


def test_equal_texts_are_no_conflict(form):
    save(form, "same", 0)

    assert save(form, "same", 0).version == 2


def test_a_page_that_is_left_may_count_a_save_that_never_arrived(form):
    save(form, "first", 0)

    assert save(form, "last", 2).version == 3


def test_a_draft_that_was_dropped_can_be_begun_again(form):
    save(form, "before", 0)
    assert services.drop_draft(**form)

    assert save(form, "after", 1).version == 2


def test_everybody_has_a_draft_of_their_own(form):
    save(form, "mine", 0)
    save({**form, "user": make_user()}, "another's", 0)

    assert Draft.objects.count() == 2


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("", "text", "1 to 200"),
        ("x" * 201, "text", "1 to 200"),
        ("a\nb", "text", "printable"),
        ("settings", "x" * 1_000_001, "shorten"),
        ("settings", "a\0b", "NUL"),
    ],
)
def test_a_draft_that_cannot_be_kept_is_refused_with_a_sentence(form, key, text, reason):
    with pytest.raises(BadInput, match=reason):
        save({**form, "key": key}, text, 0)
