"""A real browser for pages: Chromium without a window, and without a network.

Where there is none, tests that need it are skipped; with `ASTGEN_BROWSER=required` they
fail.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Browser", "browser"]

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
)
_WIDE = 1440, 900


class Browser:
    """What tests do with a page.

    Attributes:
        driver: The driver of the browser.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, size: tuple[int, int] = _WIDE) -> None:
        """Open a page in a window of a size, and wait until it is painted."""
        self.resize(size)
        self.driver.get("about:blank")
        self.logs()
        self.requests()
        self.driver.get(page.resolve().as_uri())
        self.wait("document.documentElement.dataset.painted !== undefined")
        self.settle()

    def resize(self, size: tuple[int, int]) -> None:
        """Give the page so many pixels: a window has a least width of its own."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.command("Emulation.setDeviceMetricsOverride", mobile=False, **metrics)

    def scheme(self, name: str) -> None:
        """Have the system prefer `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def command(self, name: str, **arguments: Any) -> Any:
        """Send a command of the protocol of the browser's developer tools."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script: str, *values: Any) -> Any:
        """The value of an expression in the page; `arguments` are the values."""
        return self.driver.execute_script(f"return {script}", *values)

    def wait(self, script: str, *values: Any) -> None:
        """Wait until an expression is true."""
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, 20, poll_frequency=0.03)
        waiting.until(lambda _: self.run(script, *values), script)

    def text(self, selector: str) -> str:
        """The text of an element."""
        return str(
            self.run("document.querySelector(arguments[0]).textContent", selector)
        )

    def texts(self, selector: str) -> list[str]:
        """The texts of all such elements."""
        script = "[...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def find(self, selector: str) -> Any:
        """An element, for a mouse that moves and clicks."""
        return self.driver.find_element("css selector", selector)

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def hover(self, selector: str) -> None:
        """Move the mouse over an element."""
        self._point(selector)

    def click(self, selector: str) -> None:
        """Click on an element with the mouse."""
        self._point(selector, click=True)

    def _point(self, selector: str, *, click: bool = False) -> None:
        """Move the mouse to where an element is, which may be drawn anew meanwhile."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        script = (
            "(e => { e.scrollIntoView({block: 'nearest', inline: 'nearest'});"
            " const box = e.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })"
            "(document.querySelector(arguments[0]))"
        )
        builder = ActionBuilder(self.driver)
        builder.pointer_action.move_to_location(*map(int, self.run(script, selector)))
        if click:
            builder.pointer_action.click()
        builder.perform()
        self.settle()

    def settle(self) -> None:
        """Wait until what the page has put off to its next frame is done."""
        self.run(
            "new Promise(done => requestAnimationFrame("
            "() => requestAnimationFrame(() => setTimeout(done, 0))))"
        )

    def logs(self) -> list[str]:
        """What the console has said since the last call."""
        return [str(one["message"]) for one in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """What was asked for since the last call, the page itself among it."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(str(message["params"]["request"]["url"]))
        return found

    def shoot(self, path: Path) -> None:
        """Take a picture."""
        self.driver.save_screenshot(str(path))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a browser.

    Args:
        profile: An empty folder for what the browser keeps.

    Yields:
        The browser; it is ended with the block.
    """
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        webdriver = None  # type: ignore[assignment]
    if webdriver is None or chromium is None or driver is None:
        reason = "chromium, chromedriver or selenium is not installed"
        if os.environ.get("ASTGEN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
