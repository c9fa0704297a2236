#!/usr/bin/env python3
"""The site that `./dev docs` builds: every link has a target, no page loads from another host, and the search works.

usage: site_test.py ROOT
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    """An HTML page's links (`links`), loaded files (`loaded`), and anchors (`names`)."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.names = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.names.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "href" in given:
            self.loaded.append(given["href"])
        self.loaded += [given[name] for name in ("src", "srcset", "poster", "data", "action") if name in given]


class Site(unittest.TestCase):
    """The site, built as `./dev docs` builds it."""

    @classmethod
    def setUpClass(cls):
        cls.site = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.site)
        built = subprocess.run(["mkdocs", "build", "--strict", "--config-file", ROOT / "docs/site/mkdocs.yml",
                                "--site-dir", cls.site], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if built.returncode != 0:
            raise AssertionError(f"mkdocs must build the site without a warning, got:\n{built.stdout}")
        # 404.html is for a server, and its links begin at the server's root.
        cls.pages = {path: Page(path) for path in sorted(cls.site.rglob("*.html")) if path.name != "404.html"}

    def test_shows_every_page_of_the_repository(self):
        # The README in sqlite_ext/node belongs to the package, and repeats its page.
        patterns = ("*.md", "docs/*.md", "*/README.md", "plugins/*/README.md", "examples/*/README.md")
        for path in [page.relative_to(ROOT) for pattern in patterns for page in ROOT.glob(pattern)]:
            shown = path.parent / "index.html" if path.name == "README.md" else path.with_suffix(".html")
            if path.parts[0] != "build":
                self.assertTrue((self.site / shown).exists(), f"{path} is on no page; give it a line in mkdocs.yml")

    def test_each_interface_opens_with_its_install_line_and_the_same_example(self):
        pages = (ROOT / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
        interfaces = re.search(r"- Interfaces:\n((?: {6}.*\n)+)", pages)[1]
        table = (ROOT / "docs/install.md").read_text(encoding="utf-8")
        for path in re.findall(r": (\S+\.md)", interfaces):
            with self.subTest(path=path):
                opening = (ROOT / path).read_text(encoding="utf-8")
                # Commands that make the package; for Python, the environment; and the installation.
                line = re.match(r"# .*\n\n(?:(?:[^`\n].*\n)+\n)?"  # the page's purpose
                                r"```sh\n(.+) && cd \S+\n(?:.*\n)?(.+?)(?: +#.*)?\n```\n", opening)
                self.assertIsNotNone(line, "must open with a block that makes its package and installs it")
                self.assertIn(f"`{line[2]}` | `{line[1]}` |", table)
                self.assertIsNotNone(re.search(r"(?s)ada.*grace.*alan.*\n\$ .*grace mallory", opening), "lacks the names")

    def test_every_link_leads_somewhere(self):
        for path, page in self.pages.items():
            for link in page.links + page.loaded:
                if OUTSIDE.match(link):
                    continue
                address, name = urllib.parse.urldefrag(urllib.parse.unquote(link))
                target = (path.parent / address).resolve() if address else path
                with self.subTest(page=str(path.relative_to(self.site)), link=link):
                    self.assertTrue(target.is_file(), "leads to no file")
                    if target in self.pages:
                        self.assertIn(name, self.pages[target].names)

    def test_asks_no_other_host(self):
        for path, page in self.pages.items():
            self.assertEqual([link for link in page.loaded if OUTSIDE.match(link)], [], path)

    def test_the_search_knows_every_heading(self):
        index = json.loads((self.site / "search/search_index.json").read_text(encoding="utf-8"))
        known = {each["location"] for each in index["docs"]}
        for wanted in ("index.html#which-kind", "docs/sqlite_tables.html#bloom_snapshottable--schema--pane",
                       "sqlite_ext/index.html#bloom_cardinalityfilter-bloom_current_fp_ratefilter"):
            self.assertIn(wanted, known)

    def test_no_code_or_table_is_left_as_text(self):
        for path in self.pages:
            shown = path.read_text(encoding="utf-8")
            fence_in_a_list = r"(?<!</span>)<code>(sh|sql|console|text|c|cpp|python|js)\n"
            self.assertIsNone(re.search(fence_in_a_list, shown), f"{path}: code in a list has no fence")
            self.assertIsNone(re.search(r"\|---", re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", shown)), path)


if __name__ == "__main__":
    if not shutil.which("mkdocs"):
        print("skipped: needs mkdocs, which `./dev test --all` installs")
        sys.exit(77)
    unittest.main()
