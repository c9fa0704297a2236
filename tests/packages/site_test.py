#!/usr/bin/env python3
"""The site that `./dev docs` builds: every link leads somewhere, no page asks another host, and the search finds.

usage: site_test.py ROOT [Pages | Browser]
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
PROGRAMS = {"Pages": ["mkdocs"], "Browser": ["mkdocs", "chromium"]}
OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    """What a page of HTML leads to (`links`), loads (`loaded`), and has names for (`names`)."""

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
    """Each class of tests has a site of its own, built as `./dev docs` builds it."""

    @classmethod
    def setUpClass(cls):
        cls.site = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.site)
        built = subprocess.run(["mkdocs", "build", "--strict", "--config-file", ROOT / "docs/site/mkdocs.yml",
                                "--site-dir", cls.site], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if built.returncode != 0:
            raise AssertionError(f"mkdocs must build the site without a warning, got:\n{built.stdout}")
        cls.pages = {path: Page(path) for path in sorted(cls.site.rglob("*.html"))}


class Pages(Site):
    """Without a browser."""

    def test_shows_every_page_of_the_repository(self):
        # The README in sqlite_ext/node is the package's, which repeats its page.
        patterns = ("*.md", "docs/*.md", "*/README.md", "plugins/*/README.md", "examples/*/README.md")
        for path in [page.relative_to(ROOT) for pattern in patterns for page in ROOT.glob(pattern)]:
            shown = path.parent / "index.html" if path.name == "README.md" else path.with_suffix(".html")
            if path.parts[0] != "build":
                self.assertTrue((self.site / shown).exists(), f"{path} is on no page; give it a line in mkdocs.yml")

    def test_each_way_in_opens_with_its_install_line_and_the_same_example(self):
        ways = re.search(r"- Ways in:\n((?: {6}.*\n)+)", (ROOT / "docs/site/mkdocs.yml").read_text(encoding="utf-8"))[1]
        table = (ROOT / "docs/install.md").read_text(encoding="utf-8")
        for path in re.findall(r": (\S+\.md)", ways):
            with self.subTest(path=path):
                opening = (ROOT / path).read_text(encoding="utf-8")
                # The package's making; for Python, the environment; the package's installation.
                line = re.match(r"# .*\n\n```sh\n(.+) && cd \S+\n(?:.*\n)?(.+?)(?: +#.*)?\n```\n", opening)
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
        for path in [self.site / "style.css", self.site / "site.js"]:
            self.assertIsNone(re.search(r"//[a-z0-9-]+\.[a-z]|@import|url\(", path.read_text(encoding="utf-8")), path)

    def test_no_code_or_table_is_left_as_text(self):
        for path in self.pages:
            shown = path.read_text(encoding="utf-8")
            fence_in_a_list = r"(?<!</span>)<code>(sh|sql|console|text|c|cpp|python|js)\n"
            self.assertIsNone(re.search(fence_in_a_list, shown), f"{path}: code in a list has no fence")
            self.assertIsNone(re.search(r"\|---", re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", shown)), path)


class Browser(Site):
    """In a browser, from files."""

    def shown(self, page, query="", width=1200):
        """A page as the browser has it in the end."""
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               "--virtual-time-budget=10000", f"--window-size={width},900",
                               "--user-data-dir=" + tempfile.mkdtemp(dir=self.site),
                               f"{(self.site / page).as_uri()}{query}"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return done.stdout

    def answers(self, page, query):
        """The addresses that the search of a page offers for a query, in its order."""
        return re.findall(r'<a href="([^"]*)"><b>', self.shown(page, f"?q={urllib.parse.quote(query)}"))

    def test_says_of_a_picture_that_it_is_cut_off(self):
        """On a screen as narrow as the browser makes it, and on a wide one."""
        page = self.site / "measured.html"
        page.write_text((self.site / "index.html").read_text(encoding="utf-8") + """<script>
          const figure = document.querySelector("figure > div"), hint = document.querySelector("figcaption");
          document.title = (figure.scrollWidth > figure.clientWidth) + " " + getComputedStyle(hint).display;
        </script>""", encoding="utf-8")
        for width, expected in (400, "true block"), (1200, "false none"):
            self.assertIn(f"<title>{expected}</title>", self.shown(page.name, width=width))

    def test_finds_a_heading_from_any_page(self):
        self.assertEqual(self.answers("index.html", "bloom_cardinality")[0],
                         "./sqlite_ext/index.html#bloom_cardinalityfilter-bloom_current_fp_ratefilter")
        self.assertEqual(self.answers("sqlite_ext/index.html", "which kind")[0], "../index.html#which-kind")

    def test_finds_only_what_has_all_the_words(self):
        self.assertTrue(self.answers("index.html", "ribbon"))
        self.assertEqual(self.answers("index.html", "ribbon nosuchword"), [])

    def test_finds_whole_words_first(self):
        index = (self.site / "search_index.js").read_text(encoding="utf-8")
        sections = {f"./{address}": f"{heading} {text}".lower()
                    for address, heading, text in json.loads(index.removeprefix("searchIndex = ").rstrip(";\n"))}
        for word in "add", "age":
            are_whole = [re.search(rf"\b{word}\b", sections[address]) is not None
                         for address in self.answers("index.html", word)]
            self.assertTrue(are_whole)
            self.assertEqual(are_whole, sorted(are_whole, reverse=True), word)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "Browser"
    missing = [program for program in PROGRAMS[wanted] if not shutil.which(program)]
    if missing:
        print(f"skipped: needs {' and '.join(missing)}, which `./dev test --all` installs")
        sys.exit(77)
    unittest.main()
