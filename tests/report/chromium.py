"""Headless Chromium, driven through two pipes: pages from files, keys, sizes, pictures, every request."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """The program, if this machine has one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One tab. `complaints`: what went wrong in the page that is open."""

    def __init__(self, sender: Any, reader: Any) -> None:
        self._sender, self._reader = sender, reader
        self._count = 0
        self._session = ""
        self._requests: dict[str, str] = {}
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the browser for something; what happens meanwhile is noted."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._sender.write(json.dumps(message).encode() + b"\0")
        self._sender.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._reader.read(1)) != b"\0":
            if not byte:
                raise AssertionError("the browser has gone")
            data += byte
        message: dict[str, Any] = json.loads(data)
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self._requests[params["requestId"]] = params["request"]["url"]
            case "Network.loadingFailed" if params.get("blockedReason") == "csp":
                self._requests.pop(params["requestId"], None)
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            case _:
                pass
        return message

    @property
    def requests(self) -> list[str]:
        """What the page has asked for since it was opened."""
        return list(self._requests.values())

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self._requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.until("document.readyState === 'complete'")

    def eval(self, script: str) -> Any:
        """The value of an expression in the page; of a promise, what it comes to."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until something is so, looking at every frame that the page draws."""
        script = f"""new Promise((done, give_up) => {{
            setTimeout(() => give_up(new Error("it never came")), 60000);
            const look = () => ({condition}) ? done(true) : setTimeout(look, 10);
            look();
        }})"""
        assert self.eval(script) is True

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0, **text)

    def resize(self, width: int, height: int, *, is_phone: bool = False) -> None:
        """Another size of window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=is_phone)  # fmt: skip

    def prefer(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: Path, *, is_whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=is_whole)
        path.write_bytes(base64.b64decode(told["data"]))


@contextmanager
def chromium(program: str, home: Path) -> Iterator[Page]:
    """A browser with a profile of its own, ended afterwards."""
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()
    # The browser reads descriptor 3 and writes descriptor 4.
    shell = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
    with (
        os.fdopen(to_browser, "wb") as sender,
        os.fdopen(from_browser, "rb") as reader,
        subprocess.Popen(
            ["bash", "-c", shell, program, *FLAGS, f"--user-data-dir={home}"],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        os.close(commands)
        os.close(answers)
        try:
            yield Page(sender, reader)
        finally:
            process.terminate()
