"""Build the documentation site into .build/site.

Separate from the site builder because the documents live where readers of the
repository look for them, and link to each other there. This script lays them out as one
folder, rewrites their links, adds the reference that docs_api.py makes from the stubs,
and runs zensical on it. Invariants: a link that leads nowhere ends the build; no page
loads anything from another host; zensical.toml names each page, and only pages that
exist. Called by `make docs` and `make check`. Starts itself again with the environment
of requirements/docs.lock; until then it needs the standard library only.

    python scripts/docs_site.py --python python3
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import environment

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "venv-docs"
PAGES = ROOT / ".build" / "site-pages"
SITE = ROOT / ".build" / "site"
CONFIG = ROOT / "zensical.toml"
IMAGES, STYLES = "docs/images", "docs/site.css"
#: Documents of the repository, and their names on the site.
DOCUMENTS = {
    "README.md": "index.md",
    "docs/json.md": "json.md",
    "docs/reading.md": "reading.md",
    "docs/documents.md": "documents.md",
    "docs/command.md": "command.md",
    "docs/scale.md": "scale.md",
    "docs/typed.md": "typed.md",
    "docs/frameworks.md": "frameworks.md",
    "docs/porting.md": "porting.md",
    "docs/reference.md": "reference.md",
    "docs/benchmarks.md": "benchmarks.md",
    "docs/tested.md": "tested.md",
    "COMPARE.md": "compare.md",
    "DESIGN.md": "design.md",
    "lab/README.md": "lab.md",
    "lab/METHODOLOGY.md": "lab-methodology.md",
    "lab/BIAS.md": "lab-bias.md",
    "lab/BYOB.md": "lab-byob.md",
    "lab/METERS.md": "lab-meters.md",
    "lab/native/README.md": "lab-native.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
#: Other files that documents link to; they are copied.
FILES = {"LICENSE-MIT": "license-mit.txt", "LICENSE-APACHE": "license-apache.txt"}
RECORDS = "lab/record/"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
ATTRIBUTE = re.compile(r'(\b(?:src|srcset|href)=")([^"]*)(")')
PICTURE = re.compile(r"<picture>.*?</picture>", re.DOTALL)
#: What a page loads, as opposed to what it links to.
LOADS = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*"
    r"\b(?:src|srcset|data)=[\"']?(?:https?:)?//[^>]*>"
    r"|<link\b(?![^>]*\brel=[\"']?canonical)[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//[^;]*"
    r"|url\([\"']?(?:https?:)?//[^)]*\)"
)


class LinkError(SystemExit):
    """A link in a document without a target on the site."""


def page(source: str) -> str:
    """Return a document as a page: its links lead to pages and copied files."""
    text = (ROOT / source).read_text("utf-8")
    if source == "README.md":
        text = PICTURE.sub(lambda found: _schemes(found[0]), text)
    out, at = [], 0
    for fence in FENCE.finditer(text):
        out += [_linked(text[at : fence.start()], source), fence[0]]
        at = fence.end()
    return "".join([*out, _linked(text[at:], source)])


def _linked(text: str, source: str) -> str:
    """Return prose with its links rewritten; a file's name becomes its page's title."""
    titles = navigation()

    def link(found: re.Match[str]) -> str:
        words, place = found[1], target(found[2], source)
        path = Path(found[2].partition("#")[0])
        if words in {found[2], str(path), path.name, path.stem}:
            words = titles.get(place.partition("#")[0], words)
        return f"[{words}]({place})"

    def attribute(found: re.Match[str]) -> str:
        return found[1] + target(found[2], source) + found[3]

    return ATTRIBUTE.sub(attribute, LINK.sub(link, text))


@cache
def navigation() -> dict[str, str]:
    """Return the title of each page that zensical.toml lists."""
    found: dict[str, str] = {}

    def enter(entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            for title, value in entry.items():
                if isinstance(value, list):
                    enter(value)
                elif value in found:
                    raise SystemExit(f"zensical.toml lists {value} twice")
                else:
                    found[value] = title

    enter(tomllib.loads(CONFIG.read_text("utf-8"))["project"]["nav"])
    return found


def target(link: str, source: str) -> str:
    """Return the target of a document's link on the site; LinkError without one."""
    if link.startswith(("https://", "#")):
        return link
    path, hash_, anchor = link.partition("#")
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if wanted in DOCUMENTS:
        return DOCUMENTS[wanted] + hash_ + anchor
    if wanted in FILES:
        return FILES[wanted]
    if wanted.startswith((IMAGES + "/", RECORDS)) and (ROOT / wanted).is_file():
        return wanted.removeprefix("docs/") + hash_ + anchor
    raise LinkError(f"{source}: {link} is on no page of the site")


def _schemes(picture: str) -> str:
    """Return a picture for each colour scheme, in the form of the site's own switch."""
    plain = [
        line
        for line in picture.splitlines()
        if "(prefers-color-scheme: dark)" not in line
    ]
    light = "\n".join(plain)
    light = re.sub(r'(<img\b[^>]*\bsrc="[^"]*)"', r'\1#only-light"', light)
    dark = light.replace("#only-light", "#only-dark").replace("-light.svg", "-dark.svg")
    return f"{light}\n{dark}"


def stage() -> None:
    """Write every page, generated ones included, into one folder."""
    import docs_api  # noqa: PLC0415 - needs the environment of docs.lock

    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    pages = {name: page(source) for source, name in DOCUMENTS.items()}
    pages |= docs_api.pages()
    if odd := set(pages) ^ set(navigation()):
        raise SystemExit(f"zensical.toml: its nav and the pages differ by {odd}")
    for name, text in pages.items():
        (PAGES / name).write_text(text, "utf-8")
    for source, name in FILES.items():
        shutil.copy(ROOT / source, PAGES / name)
    shutil.copytree(ROOT / IMAGES, PAGES / "images")
    shutil.copytree(ROOT / RECORDS, PAGES / RECORDS)
    shutil.copy(ROOT / STYLES, PAGES / "site.css")


def loaded(folder: Path) -> list[str]:
    """Return resources that pages and style sheets would load from other hosts."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".html", ".css", ".svg"}:
            text = path.read_text("utf-8")
            name = path.relative_to(folder).as_posix()
            found += [f"{name} loads {one[0]}" for one in LOADS.finditer(text)]
    return found


def build() -> int:
    """Stage the pages and build the site; return an exit status."""
    stage()
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    variables = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(
        [*command, "--config-file", str(CONFIG)],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        text = done.stdout + done.stderr
        print(text.partition("Traceback")[0].strip(), file=sys.stderr)
        print("snooze: the documentation site could not be built", file=sys.stderr)
        return done.returncode
    outside = loaded(SITE)
    if outside:
        print("\n".join(outside), file=sys.stderr)
        return 1
    count = len(list(SITE.glob("*.html")))
    print(f"{environment.shown(SITE)}: {count} pages; open index.html, or serve it")
    return 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument("--here", action="store_true", help="in this environment")
    options = parser.parse_args()
    if options.here:
        return build()
    environment.ensure(FOLDER, options.python, ["docs"], tolerant=False)
    python = str(environment.python_of(FOLDER))
    return subprocess.run([python, __file__, "--here"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
