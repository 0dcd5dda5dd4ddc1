"""Pages opened from a file by headless Chromium, and what it complains of."""

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
# fmt: off
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
]
# fmt: on


def open_page(path, profile):
    """Return the document after its script has run, and the lines of the console."""
    command = [CHROMIUM, *QUIET, f"--user-data-dir={profile}", path.resolve().as_uri()]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return answer.stdout, re.findall(r"CONSOLE.*", answer.stderr)


class Browser:
    """Chromium, driven through ChromeDriver's HTTP interface."""

    def __init__(self, profile):
        self.profile = profile

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [CHROMEDRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.address = f"http://127.0.0.1:{port}"
        options = {"args": [*QUIET[:8], f"--user-data-dir={self.profile}"], "binary": CHROMIUM}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        for _ in range(200):
            try:
                answer = self.ask("/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        self.address += f"/session/{answer['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self.ask("", method="DELETE")
        finally:
            self.process.terminate()
            self.process.wait(10)

    def ask(self, path, body=None, method="POST"):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:600]) from error

    def open(self, path):
        self.ask("/url", {"url": path.resolve().as_uri()})

    def run(self, script, *arguments):
        return self.ask("/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        found = self.ask("/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.ask(f"/element/{self.find(selector)}/click")

    def keys(self, selector, keys):
        self.ask(f"/element/{self.find(selector)}/value", {"text": keys})

    def text(self, selector):
        return self.texts(selector)[0]

    def texts(self, selector):
        script = "return Array.from(document.querySelectorAll(arguments[0]), (e) => e.textContent)"
        return self.run(script, selector)

    def resize(self, width):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": size}
        self.ask("/goog/cdp/execute", command)

    def console(self):
        return self.ask("/se/log", {"type": "browser"})
