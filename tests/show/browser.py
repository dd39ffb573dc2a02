#!/usr/bin/env python3
"""Pages in headless Chromium, by its remote debugging pipe: no error, no request, nothing outside the window, keys and clicks do
what they say, in light and dark, at 360 and 1400 pixels. TAP. usage: browser.py SCCL-SYNTH SOURCE [FOLDER for screenshots]"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, source = map(os.path.abspath, sys.argv[1:3])
shots = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not chromium:
    print("1..0 # SKIP no chromium")
    sys.exit(0)
work = tempfile.mkdtemp()
os.chdir(work)
os.environ["SCCL_PATH"] = source
n = failed = 0


def ok(right, what, more=""):
    global n, failed
    n += 1
    failed += not right
    print("ok" if right else "not ok", n, "-", what, flush=True)
    if not right and more:
        print("#", str(more)[:400])


class Browser:
    """Messages are JSON that ends with NUL, over descriptors 3 and 4 of the browser."""

    def __init__(self):
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        # The browser reads descriptor 3 and writes 4: a shell puts them there.
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--remote-debugging-pipe",
                   f"--user-data-dir={work}/profile", "about:blank"]
        self.process = subprocess.Popen(["/bin/sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", *command], pass_fds=(to_read, to_write),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.of, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def __call__(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            got = self.read()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(got["error"])
                return got["result"]
            self.events.append(got)

    def js(self, expression):
        result = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def open(self, path, width, dark):
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self("Page.navigate", url="file://" + os.path.abspath(path))
        for _ in range(100):
            if self.js("document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'"):
                break
            self.js("new Promise(r => setTimeout(r, 50))")

    def faults(self):
        """Exceptions and errors, and requests but the page's own."""
        out = []
        for e in self.events:
            p = e.get("params", {})
            if e["method"] == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if e["method"] == "Log.entryAdded" and p["entry"]["level"] == "error":
                out.append(p["entry"]["text"])
            if e["method"] == "Network.requestWillBeSent" and not p["request"]["url"].startswith(("file:///" + work.lstrip("/"), "data:")):
                out.append("requests " + p["request"]["url"])
        return out

    def key(self, key, code=None):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode={" ": 32, "Enter": 13}.get(key, 0),
                 **(text if kind == "keyDown" else {}))

    def click(self, selector):
        x, y = self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
                       "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def shot(self, name):
        size = self("Page.getLayoutMetrics")["cssContentSize"]
        data = self("Page.captureScreenshot", captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1})
        (shots / name).write_bytes(base64.b64decode(data["data"]))

    def close(self):
        try:
            self.session = None
            self("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(20)


def command(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    ok(done.returncode == 0, "sccl-synth " + " ".join(map(str, arguments)).replace(source + "/", ""), done.stderr)


# A name that would be markup if it were not escaped.
odd = "</script><script>document.body.innerHTML='taken'</script><b>\"'&"
machine = {"format": "sccl-topology", "version": 1, "name": odd, "description": odd, "nodes": 3, "duplex": True,
           "links": [{"src": 0, "dst": 1, "bandwidth": 2, "kind": odd}, {"src": 1, "dst": 2, "bandwidth": 1}],
           "kinds": {odd: {"latency_us": 1, "gigabytes_per_second": 1}}}
pathlib.Path("odd.json").write_text(json.dumps(machine))
a = source + "/algorithms/dgx1"
pages = {}


def page(name, *arguments):
    command(*arguments, "-o", f"{name}.html")
    pages[name] = f"{name}.html"


page("allgather", "show", f"{a}/allgather/c6-s3-r7.json", "--format", "html")
page("frontier", "show", f"{a}/allreduce/frontier.json", "--format", "html")
page("machine", "show", "dgx-h100*2:ib400", "--format", "html")
page("torus", "show", "torus:4x4", "--format", "html")
page("odd", "show", "./odd.json", "--format", "html")
command("build", "-t", "gb200-nvl72", "-c", "allgather", "--method", "direct", "-C", "1", "-o", "large.json")
page("large", "show", "large.json", "--format", "html")

for name, arguments in (("simulation", ["simulate", a + "/allgather", "--sizes", "1K:16M", "--json"]),
                        ("study", ["explore", "-t", "ring:4", "line:4", "-c", "allgather", "--method", "ring,direct", "--alpha", "1", "--beta", "1e-4", "--json"])):
    pathlib.Path(name + ".jsonl").write_text(subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout)
    page(name, "show", name + ".jsonl", "--format", "html")
page("report", "report", "-t", "ring:4@add=0-2", "--within", "5")

browser = Browser()
for name, path in pages.items():
    ok(not any(word in pathlib.Path(path).read_text().split('<script type="application/json"')[0] for word in ("http:", "https:", "src=")),
       f"{name}: asks for nothing outside")
    for width in (360, 1400):
        for dark in (False, True):
            browser.open(path, width, dark)
            where = f"{name}, {width} pixels, {'dark' if dark else 'light'}"
            ok(browser.js("document.documentElement.dataset.ready") == "yes" and not browser.faults(), f"{where}: no error, no request", browser.faults())
            ok(browser.js("document.documentElement.scrollWidth <= innerWidth"), f"{where}: nothing outside",
               browser.js("[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3)"))
            if name in ("frontier", "simulation"):
                charts = "svg[aria-label='the frontier'] text, svg[aria-label='links over time'] text, svg[aria-label^='Time'] text"
                ok(browser.js(f'[...document.querySelectorAll("{charts}")].every(t => t.getAttribute("font-size") * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b) >= 8)'),
                   f"{where}: text of charts is legible")
            if shots:
                browser.shot(f"{name}-{width}-{'dark' if dark else 'light'}.png")
    back = browser.js("getComputedStyle(document.body).backgroundColor")
    browser.open(path, 1400, False)
    ok(browser.js("getComputedStyle(document.body).backgroundColor") != back, f"{name}: light and dark differ")

label = "document.querySelector('strong').textContent"
browser.open(pages["allgather"], 1400, False)
ok("Before the first" in browser.js(label), "before the first step", browser.js(label))
ok("Nothing has been sent" in browser.js("document.body.innerText"), "which says that nothing was sent")
for key, wanted in (("ArrowRight", "Step 1 of 3"), ("ArrowRight", "Step 2 of 3"), ("ArrowLeft", "Step 1 of 3"), ("End", "Step 3 of 3"), ("Home", "Before the first")):
    browser.key(key)
    ok(wanted in browser.js(label), f"{key}: {wanted}", browser.js(label))
browser.click("button[aria-label='next step']")
ok("Step 1 of 3" in browser.js(label), "a click on >")
browser.key("ArrowRight")
ok("Step 2 of 3" in browser.js(label), "a key after a click")
browser.js("document.querySelector('input[type=range]').focus()")
browser.key("ArrowRight")
ok("Step 3 of 3" in browser.js(label), "a key on the slider moves one step", browser.js(label))
ok(browser.js("document.querySelectorAll('path.copy').length") == len({(s, d) for _, s, d in json.load(open(f"{a}/allgather/c6-s3-r7.json"))["steps"][2]["sends"]}),
   "an arrow for each pair that sends")
ok(browser.js("document.querySelectorAll('rect.has').length") == 8 * 48, "at the end every node has every chunk")
ok(browser.js("document.querySelectorAll('circle.has').length") == 8, "and is green")
browser.key("Home")
browser.js("document.activeElement.blur()")
browser.key(" ", "Space")
browser.js("new Promise(r => setTimeout(r, 2200))")
ok("Before" not in browser.js(label), "space plays", browser.js(label))
browser.open(pages["frontier"], 1400, False)
points = browser.js("document.querySelectorAll('circle.point').length")
ok(points == len(json.load(open(f"{a}/allreduce/frontier.json"))["points"]), "a dot for each point of the frontier", points)
browser.click("circle.point:last-of-type")
browser.js("document.querySelectorAll('circle.point')[2].focus()")
browser.key("Enter")
ok("(16,4,6)" in browser.js("document.querySelector('main').innerText"), "Enter opens a point")
browser.key("End")
ok("Step 4 of 4" in browser.js(label), "and keys play it", browser.js(label))
ok(browser.js("[...document.querySelectorAll('rect.has')].length") == 8 * 16, "to its end: every node has every sum")
browser.open(pages["odd"], 1400, False)
ok(browser.js("document.querySelector('h1').textContent") == odd, "names are text, never markup")
browser.close()
shutil.rmtree(work, ignore_errors=True)
print(f"1..{n}")
sys.exit(failed > 0)
