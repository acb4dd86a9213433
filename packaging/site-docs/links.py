"""Gives folders that pages link to a page with their files, and fails if a link leads nowhere.

    links.py SITE
"""

import html
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

site = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def list_folder(folder):
    """Writes a page that lists the files of a folder."""
    names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
    items = "".join(f'<li><a href="{html.escape(n)}">{html.escape(n)}</a></li>' for n in names)
    title = html.escape(str(folder.relative_to(site)))
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    (folder / "index.html").write_text(f"{head}<h1>{title}</h1><ul>{items}</ul>", encoding="utf-8")


pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
wrong, looked_at = [], 0
for path, page in pages.items():
    # The page of missing pages is served from any address.
    if path.name == "404.html":
        continue
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        looked_at += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir() and target.is_relative_to(site):
            if not (target / "index.html").exists():
                list_folder(target)
            continue
        if not target.is_file() or not target.is_relative_to(site):
            wrong.append(f"{path.relative_to(site)}: {link}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            wrong.append(f"{path.relative_to(site)}: {link}: no such anchor")
if wrong:
    sys.exit("links that lead nowhere:\n" + "\n".join(wrong))
print(f"{len(pages)} pages, {looked_at} links: {site}/index.html")
