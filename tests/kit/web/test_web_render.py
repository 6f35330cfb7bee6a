"""Templates cannot be made to say what they should not."""

import jinja2
import pytest

from rensai.kit.web.render import environment, marked_code, render_text


def test_text_in_a_page_is_text() -> None:
    template = environment().from_string('<p title="{{ x }}">{{ x }}</p>')
    page = template.render(x="<script>\"'&")
    assert "<script>" not in page
    assert page.count("&lt;script&gt;&#34;&#39;&amp;") == 2


def test_a_name_that_is_not_given_is_a_mistake_and_not_a_blank() -> None:
    with pytest.raises(jinja2.UndefinedError):
        environment().from_string("{{ forgotten }}").render()


def test_marks_in_prose_become_code_and_nothing_else() -> None:
    assert marked_code("a `b` <i> `<c>`") == "a <code>b</code> &lt;i&gt; <code>&lt;c&gt;</code>"


def test_every_template_of_every_room_compiles() -> None:
    names = environment().list_templates(extensions=["html"])
    assert "layout.html" in names
    assert "error.html" in names
    assert any("/" in name for name in names)
    for name in names:
        environment().get_template(name)


def test_the_error_page_stands_without_anything_around_it() -> None:
    page = render_text(
        "error.html", "/x", status=404, message="Gone <b>.", advice="Go.", request_id="abc"
    )
    assert "Gone &lt;b&gt;." in page
    assert "abc" in page
