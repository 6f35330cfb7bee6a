"""Making an account and coming back into it, on a phone by day and at a desk by night."""

import itertools

import pytest
from playwright.async_api import Browser

from tests.browser.site import PASSWORD, Site
from tests.browser.visitor import Screen, arrive

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("browser")]

_numbers = itertools.count(1)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("screen", [Screen(360, "light"), Screen(1280, "dark")], ids=str)
async def test_a_reader_joins_writes_the_words_down_and_comes_back_by_them(
    browser: Browser, full_site: Site, screen: Screen, *, scripts: bool
) -> None:
    name = f"reader{next(_numbers)}"
    visitor = await arrive(browser, full_site, screen, scripts=scripts)
    page = visitor.page

    await visitor.goto("/login")
    await page.get_by_role("link", name="Make an account").click()
    await page.get_by_role("heading", name="Make an account").wait_for()
    await visitor.look("register")
    await page.get_by_label("Username").fill(name)
    await page.get_by_label("E-mail address").fill(f"{name}@example.com")
    await page.get_by_label("Password").fill("password1")
    await visitor.submit("Make the account")
    assert "stolen" in await page.get_by_role("alert").inner_text()
    assert await page.get_by_label("Username").input_value() == name
    await visitor.look("register-wrong")
    await page.get_by_label("Password").fill(PASSWORD)
    await visitor.submit("Make the account")

    words = await page.locator(".words li").all_inner_texts()
    assert len(words) == 12
    await visitor.look("words")
    await page.get_by_role("button", name="Go on").click()
    assert await page.locator(".words li").count() == 12, "not before they are written down"
    await page.get_by_label("I have written them down").check()
    await visitor.submit("Go on")
    assert page.url.removesuffix("?") == f"{full_site.url}/"
    await visitor.open_account_menu()
    await visitor.submit("Sign out")

    await visitor.goto("/recover")
    await visitor.look("recover")
    await page.get_by_label("The twelve words").fill("  " + "  ".join(words).upper())
    await page.get_by_label("Username").fill(f"{name}-again")
    await page.get_by_label("E-mail address").fill(f"{name}@example.com")
    await page.get_by_label("New password").fill("another " + PASSWORD)
    await visitor.submit("Come back")
    assert page.url == f"{full_site.url}/"
    assert await page.locator(".account > summary").inner_text() == name
    await page.wait_for_load_state("networkidle")
    await visitor.context.close()
    assert visitor.complaints == []
