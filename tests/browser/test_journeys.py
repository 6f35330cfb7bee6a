"""The journeys that people make, on a phone and at a desk, by day and by night."""

import pytest
from playwright.async_api import Browser

from tests.browser.site import Site
from tests.browser.visitor import Screen, arrive

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("browser")]

SCREENS = [Screen(360, "light"), Screen(360, "dark"), Screen(1280, "light"), Screen(1280, "dark")]
screens = pytest.mark.parametrize("screen", SCREENS, ids=str)


@screens
async def test_a_visitor_looks_around(browser: Browser, full_site: Site, screen: Screen) -> None:
    visitor = await arrive(browser, full_site, screen)
    page = visitor.page

    await visitor.goto("/")
    assert await page.title() == "Home · Ánh Trăng Library"
    assert await page.locator(".card").count() == 24
    await visitor.look("home")

    await page.get_by_role("link", name="Browse").click()
    assert await page.locator(".card").count() == 24
    await visitor.look("browse")
    await page.get_by_role("link", name="Next page").click()
    await page.get_by_role("link", name="First page").wait_for()
    assert await page.locator(".card").count() == 6
    await page.get_by_role("link", name="Most popular").click()
    await page.locator("[aria-current]", has_text="Most popular").wait_for()
    assert await page.locator(".card").count() == 24

    await page.get_by_role("link", name="API", exact=True).click()
    await page.get_by_role("heading", name="API", level=1).wait_for()
    await visitor.look("docs")

    await visitor.goto("/nothing-here", status=404)
    await visitor.look("not-found")
    await visitor.context.close()
    assert visitor.complaints == []


@screens
async def test_empty_shelves_say_what_to_do(
    browser: Browser, empty_site: Site, screen: Screen
) -> None:
    visitor = await arrive(browser, empty_site, screen)
    page = visitor.page
    for path in ("/browse", "/"):
        await visitor.goto(path)
        await page.get_by_role("heading", name="The shelves are still empty").wait_for()
    await visitor.look("empty")
    await page.locator("main").get_by_role("link", name="Sign in").click()
    await visitor.sign_in()
    await page.get_by_role("link", name="Open the API guide").wait_for()
    await visitor.look("empty-admin")
    await visitor.context.close()
    assert visitor.complaints == []


@screens
async def test_a_visitor_says_to_be_of_age(
    browser: Browser, full_site: Site, screen: Screen
) -> None:
    visitor = await arrive(browser, full_site, screen)
    page = visitor.page

    await visitor.goto("/age?next=/browse")
    await visitor.look("age")
    await visitor.submit("I am of age")
    assert page.url == f"{full_site.url}/browse"
    await page.wait_for_load_state("networkidle")
    cookies = {cookie.get("name"): cookie for cookie in await visitor.context.cookies()}
    assert cookies["rensai_age"].get("httpOnly")
    await visitor.goto("/age")
    await visitor.look("age-said")
    await visitor.submit("I am not")
    assert page.url == f"{full_site.url}/"
    await page.wait_for_load_state("networkidle")
    assert "rensai_age" not in {cookie.get("name") for cookie in await visitor.context.cookies()}
    await visitor.context.close()
    assert visitor.complaints == []


@screens
async def test_the_administrator_signs_in_and_out(
    browser: Browser, full_site: Site, screen: Screen
) -> None:
    visitor = await arrive(browser, full_site, screen)
    page = visitor.page

    await visitor.goto("/admin")
    assert page.url == f"{full_site.url}/login?next=/admin"
    await visitor.look("login")
    await visitor.sign_in("not the password")
    problem = page.get_by_role("alert")
    assert await problem.inner_text() == "The name or the password is wrong."
    assert await page.get_by_label("Username or e-mail address").input_value() == "ada"
    assert await page.get_by_label("Password").input_value() == ""
    await visitor.look("login-wrong")

    await visitor.sign_in()
    assert page.url == f"{full_site.url}/admin"
    assert "30" in await page.locator(".figures div", has_text="Stories").inner_text()
    await visitor.look("admin")
    await visitor.open_account_menu()
    await visitor.look("account-menu")

    cookies = {cookie.get("name"): cookie for cookie in await visitor.context.cookies()}
    session = cookies["rensai_session"]
    assert session.get("httpOnly")
    assert session.get("sameSite") == "Lax"

    await visitor.submit("Sign out")
    assert page.url == f"{full_site.url}/"
    assert await page.get_by_role("link", name="Sign in").count() == 1
    await visitor.goto("/admin")
    assert page.url.endswith("/login?next=/admin")
    await visitor.context.close()
    assert visitor.complaints == []


@pytest.mark.parametrize("screen", [SCREENS[0], SCREENS[3]], ids=str)
async def test_everything_works_without_scripts(
    browser: Browser, full_site: Site, screen: Screen
) -> None:
    visitor = await arrive(browser, full_site, screen, scripts=False)
    page = visitor.page
    await visitor.goto("/browse")
    await page.get_by_role("link", name="Next page").click()
    await page.get_by_role("link", name="First page").wait_for()
    await page.get_by_role("link", name="Sign in").click()
    await visitor.sign_in("not the password")
    assert await page.get_by_role("alert").count() == 1
    await visitor.sign_in()
    await visitor.open_account_menu()
    await page.get_by_role("link", name="Administration").click()
    await page.get_by_role("heading", name="Administration").wait_for()
    await visitor.look("admin-without-scripts")
    await visitor.open_account_menu()
    await visitor.submit("Sign out")
    assert await page.get_by_role("link", name="Sign in").count() == 1
    await visitor.context.close()
    assert visitor.complaints == []


async def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Browser, full_site: Site
) -> None:
    visitor = await arrive(browser, full_site, SCREENS[2])
    page = visitor.page
    await visitor.goto("/")
    reached: list[str] = []
    for _ in range(5):
        await page.keyboard.press("Tab")
        focused = page.locator(":focus")
        reached.append((await focused.inner_text()).strip())
        outline = await focused.evaluate("e => getComputedStyle(e).outlineWidth")
        assert outline == "3px", reached
    assert reached == [
        "Skip to content",
        "Ánh Trăng Library",
        "Browse",
        "Sign in",
        "See all",
    ]
    await visitor.goto("/")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert await page.locator("main:focus").count() == 1
    await visitor.context.close()
    assert visitor.complaints == []


@screens
async def test_who_comes_from_a_letter_finds_a_form(
    browser: Browser, full_site: Site, screen: Screen
) -> None:
    visitor = await arrive(browser, full_site, screen)
    page = visitor.page
    await visitor.goto("/login")
    await page.get_by_role("link", name="Forgotten your password?").click()
    await page.get_by_role("status").get_by_text("This site sends no mail.").wait_for()
    await visitor.look("reset-without-mail")
    await visitor.goto("/reset?token=stale")
    await visitor.look("new-password")
    await page.get_by_role("textbox", name="New password").fill("quite another password")
    await page.get_by_role("button", name="Set it").click()
    assert "This link has been used" in await page.get_by_role("alert").inner_text()
    await visitor.look("new-password-late")
    await visitor.goto("/verify?token=stale")
    await visitor.look("verify")
    await page.get_by_role("button", name="Yes, confirm it").click()
    await page.get_by_role("alert").wait_for()
    await visitor.context.close()
    assert visitor.complaints == []
