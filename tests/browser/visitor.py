"""A person at a screen: goes to pages, and notices whatever is wrong with them."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
import msgspec
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.browser.site import PASSWORD, Site

ARTEFACTS = Path(__file__).parents[2] / "artefacts"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
SERIOUS = {"serious", "critical"}

_RUN_AXE = "axe.run({resultTypes: ['violations']}).then(r => JSON.stringify(r.violations))"
_address = itertools.count(1)


class Node(msgspec.Struct):
    """A place on the page."""

    html: str


class Violation(msgspec.Struct):
    """A rule of accessibility that the page breaks."""

    id: str
    impact: str | None
    help: str
    nodes: list[Node]


@dataclass(frozen=True, slots=True)
class Screen:
    """How a visitor looks at the site."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


@dataclass(slots=True)
class Visitor:
    """One browser session, and the complaints about what it has met."""

    site: Site
    screen: Screen
    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)
    scripts: bool = True

    async def goto(self, path: str, status: int = 200) -> None:
        """Open a page that answers with this status."""
        answer = await self.page.goto(self.site.url + path)
        assert answer is not None
        assert answer.status == status, path

    async def submit(self, button: str) -> None:
        """Press the button and wait for the page that it leads to."""
        async with self.page.expect_navigation():
            await self.page.get_by_role("button", name=button).click()

    async def sign_in(self, password: str = PASSWORD) -> None:
        """Fill in the form that is on the screen."""
        await self.page.get_by_label("Username or e-mail address").fill("ada")
        await self.page.get_by_label("Password").fill(password)
        await self.submit("Sign in")

    async def open_account_menu(self) -> None:
        await self.page.locator(".account > summary").click()

    async def look(self, name: str) -> None:
        """Keep a picture of the page, and examine it."""
        ARTEFACTS.mkdir(exist_ok=True)
        await self.page.screenshot(path=ARTEFACTS / f"{name}-{self.screen}.png", full_page=True)
        if not self.scripts:
            return
        overflow = await self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        if overflow > 0:
            self.complaints.append(f"{name}: {overflow} px too wide")
        await self.page.evaluate(AXE)
        found = msgspec.json.decode(await self.page.evaluate(_RUN_AXE), type=list[Violation])
        self.complaints += [
            f"{name}: {each.id}: {each.help}: {[node.html for node in each.nodes][:3]}"
            for each in found
            if each.impact in SERIOUS
        ]


async def arrive(browser: Browser, site: Site, screen: Screen, *, scripts: bool = True) -> Visitor:
    """A visitor who has not been here before."""
    context = await browser.new_context(
        viewport={"width": screen.width, "height": 800},
        color_scheme="dark" if screen.scheme == "dark" else "light",
        java_script_enabled=scripts,
        extra_http_headers={"X-Forwarded-For": f"198.51.100.{next(_address)}"},
    )
    page = await context.new_page()
    visitor = Visitor(site, screen, context, page, scripts=scripts)
    host = urlsplit(site.url).netloc
    complain = visitor.complaints.append

    def on_request(sent: Request) -> None:
        if urlsplit(sent.url).netloc != host:
            complain(f"went elsewhere: {sent.url}")

    def on_console(said: ConsoleMessage) -> None:
        # A page that answers with an error is noted here too, but tests ask for its status.
        place = said.location["url"]
        if said.type in {"error", "warning"} and place != page.url:
            complain(f"console: {said.text} {place}")

    page.on("pageerror", lambda error: complain(f"script: {error}"))

    def on_failed(sent: Request) -> None:
        # Whoever goes on to another page leaves behind what the browser was fetching by itself.
        left = sent.failure == "net::ERR_ABORTED" and sent.url.endswith("/favicon.svg")
        if not left:
            complain(f"failed: {sent.url}")

    page.on("requestfailed", on_failed)
    page.on("request", on_request)
    page.on("console", on_console)
    return visitor
