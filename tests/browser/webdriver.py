"""A small client of the WebDriver protocol (W3C), with the standard library only."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# The key under which the protocol hands out elements.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010", "escape": "\ue00c"}


class BrowserError(Exception):
    """What the browser refuses, in its own words."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """Chromium under chromedriver; use it in a `with` statement."""

    def __init__(self, width=1280, height=900, dark=False, phone=False):
        for program in ["chromium", "chromedriver"]:
            if shutil.which(program) is None:
                raise BrowserError(
                    f"{program} is not installed; on Debian: apt-get install chromium chromium-driver"
                )
        self.profile = tempfile.TemporaryDirectory(prefix="carom-browser-")
        port = free_port()
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}", "--log-level=SEVERE"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.base = f"http://127.0.0.1:{port}"
        self.session = None
        try:
            self._wait_for_driver()
            self._open(width, height, dark, phone)
        except BaseException:
            self.close()
            raise

    def _wait_for_driver(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except (OSError, KeyError):
                pass
            if time.monotonic() > deadline:
                raise BrowserError("chromedriver does not answer")
            time.sleep(0.1)

    def _open(self, width, height, dark, phone):
        flags = FLAGS + [f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        options = {"args": flags, "binary": shutil.which("chromium")}
        if phone:
            metrics = {"width": width, "height": height, "pixelRatio": 2.0, "touch": True}
            options["mobileEmulation"] = {"deviceMetrics": metrics}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = answer["sessionId"]
        if dark:
            self._command("POST", "/goog/cdp/execute", {
                "cmd": "Emulation.setEmulatedMedia",
                "params": {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
            })

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _command(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser, then its driver; only what this object started."""
        if self.session is not None:
            try:
                self._command("DELETE", "")
            except (OSError, BrowserError):
                pass
            self.session = None
        self.driver.terminate()
        self.driver.wait()
        self.profile.cleanup()

    def open(self, path):
        self._command("POST", "/url", {"url": path.resolve().as_uri()})

    def run(self, script, *arguments):
        """Runs the body of a function in the page and returns what it returns."""
        return self._command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, what, script, *arguments, seconds=20):
        """Waits until a script returns something true."""
        deadline = time.monotonic() + seconds
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > deadline:
                raise BrowserError(f"{what} did not happen in {seconds} s")
            time.sleep(0.05)
        return found

    def click(self, selector):
        found = self._command("POST", "/element", {"using": "css selector", "value": selector})
        self._command("POST", f"/element/{found[ELEMENT]}/click", {})

    def press(self, *keys):
        """Presses keys one after the other; several characters are names of keys."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._command("POST", "/actions", {"actions": [keyboard]})

    def drag(self, selector, dx, dy, kind="mouse"):
        """Drags from the middle of an element."""
        found = self._command("POST", "/element", {"using": "css selector", "value": selector})
        origin = {ELEMENT: found[ELEMENT]}
        pointer = {
            "type": "pointer",
            "id": "pointer",
            "parameters": {"pointerType": kind},
            "actions": [
                {"type": "pointerMove", "origin": origin, "x": 0, "y": 0},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerMove", "origin": "pointer", "x": dx, "y": dy, "duration": 100},
                {"type": "pointerUp", "button": 0},
            ],
        }
        self._command("POST", "/actions", {"actions": [pointer]})

    def complaints(self):
        """Warnings and errors of the console since the last call."""
        entries = self._command("POST", "/se/log", {"type": "browser"})
        return [e["message"] for e in entries if e["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._command("GET", "/screenshot")))
