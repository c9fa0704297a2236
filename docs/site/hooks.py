"""What mkdocs has to know of this repository to show its pages as a site.

The pages lie where they belong, beside what they describe, and link to each other and to sources by relative paths, as
one reads them in the repository. The site keeps these paths: it has the pages of the navigation in mkdocs.yml and
whatever they lead to. A source that a page links to becomes a page that shows it. So there is one text of each page,
and every link works in both places.
"""
import html.parser
import json
import os
import pathlib
import re

import markdown
from mkdocs.structure.files import File, Files
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")
FENCE_IN_LIST = re.compile(r"^( +)```(\w+)\n(.*?)^ +```$", re.MULTILINE | re.DOTALL)
# The next item needs a blank line, as this paragraph of the last item has one before it.
PARAGRAPH_IN_LIST = re.compile(r"(\n\n +\S.*(?:\n +\S.*)*\n)(?=\d+\. |- )")
PICTURES = (".svg", ".png")
PICTURE = re.compile(r"<p>(<img [^>]*>)</p>")
INDEX = []  # what the search knows: rows of Sections


class Lists(markdown.Extension):
    """Lets what belongs to an item of a list be indented by two columns, as everywhere else, and not by four."""

    def extendMarkdown(self, md):  # noqa: N802, the name is Markdown's
        md.tab_length = 2
        md.parser = markdown.blockprocessors.build_block_parser(md)


def slug(heading, _separator):
    """The anchor that a heading has in the repository's browsers: `a (b, c)` is #a-b-c."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def on_config(config):
    INDEX.clear()
    config["theme"].static_templates.clear()  # a map of the site for search engines would need its address
    config["markdown_extensions"].insert(0, Lists())
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def pages_of(nav):
    """The paths in a navigation, which is a list of {title: path or list}."""
    for entry in nav:
        for value in entry.values():
            yield from pages_of(value) if isinstance(value, list) else [value]


def target_of(link, page):
    """The file or folder of this repository that a link in a page leads to, as a path, or None."""
    path = pathlib.PurePosixPath(os.path.normpath(pathlib.PurePosixPath(page).parent / link))
    return path if ".." not in path.parts and (ROOT / path).exists() else None


def is_source(path):
    return path.suffix not in (".md", *PICTURES)


def links_in(page):
    for link in LINK.findall(text_of(page)):
        if target := target_of(link, page):
            yield f"{target}.md" if is_source(target) else str(target)


def on_files(files, config):
    """The pages of the navigation, what can be reached from them, and the theme's own files."""
    found, waiting = set(), list(pages_of(config["nav"]))
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += links_in(path) if path.endswith(".md") else []
    theme = [file for file in files if file.abs_src_path == os.path.join(config["theme"].dirs[0], file.src_path)]
    return Files([File(path, str(ROOT), config["site_dir"], False) for path in sorted(found)] + theme)


def language_of(source, text):
    try:
        return get_lexer_for_filename(source.name).aliases[0]
    except ClassNotFound:
        return "bash" if "bash" in text[:30] else "text"


def text_of(page):
    """A page's Markdown. The page of a source or of a folder has no file: it is made of what it shows."""
    if (ROOT / page).exists():
        return (ROOT / page).read_text(encoding="utf-8")
    source = ROOT / page.removesuffix(".md")
    if source.is_dir():
        files = sorted(file.name for file in source.iterdir() if file.is_file())
        return f"# {source.relative_to(ROOT)}\n\n" + "".join(f"- [{file}]({source.name}/{file})\n" for file in files)
    text = source.read_text(encoding="utf-8")
    return f"# {source.relative_to(ROOT)}\n\n~~~~~~{language_of(source, text)}\n{text}\n~~~~~~\n"


def on_page_read_source(page, config):
    return text_of(page.file.src_path)


def without_fence(match):
    """A block of code in an item of a list. Python's Markdown knows fences only where nothing is before them."""
    indent, language, code = match.groups()
    return "".join(f"    {line.removeprefix(indent)}\n" for line in [f"{indent}:::{language}", *code.splitlines()])


def on_page_markdown(text, page, config, files):
    """Leads the links to sources to the pages that show them, and writes lists as Python's Markdown reads them."""
    def changed(match):
        target = target_of(match[1], page.file.src_path)
        return f"{match[1].rstrip('/')}.md" if target and is_source(target) else match[1]
    if (ROOT / page.file.src_path).exists():
        text = PARAGRAPH_IN_LIST.sub(r"\1\n", FENCE_IN_LIST.sub(without_fence, text))
    return LINK.sub(changed, text)


class Sections(html.parser.HTMLParser):
    """A page divided by its headings, for the search: rows of [address, heading, text]. The first is for the page."""

    def __init__(self, address, title):
        super().__init__()
        self.address, self.rows, self.in_heading = address, [[address, title, ""]], False

    def handle_starttag(self, tag, attributes):
        if re.fullmatch("h[1-6]", tag):
            self.rows.append([f"{self.address}#{dict(attributes)['id']}", "", ""])
            self.in_heading = True
        elif tag in ("p", "li", "td", "th", "div"):
            self.handle_data(" ")

    def handle_endtag(self, tag):
        self.in_heading = self.in_heading and not re.fullmatch("h[1-6]", tag)

    def handle_data(self, data):
        self.rows[-1][1 if self.in_heading else 2] += data


def on_page_content(content, page, config, files):
    """A wide table or picture scrolls by itself, so that a phone shows the text around it as wide as the screen. Of a
    picture, one may not see that there is more: where it is cut off, style.css shows that it can be moved."""
    sections = Sections(page.url, page.title)
    sections.feed(content)
    INDEX.extend([address, heading, " ".join(text.split())] for address, heading, text in sections.rows)
    content = PICTURE.sub(r"<figure><figcaption>Move this picture sideways to see all of it.</figcaption>"
                          r"<div>\1</div></figure>", content)
    return content.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")


def on_post_build(config):
    """The search's index is a script, because a page that is read as a file may not fetch it in another way."""
    text = f"searchIndex = {json.dumps(INDEX, ensure_ascii=False)};\n"
    pathlib.Path(config["site_dir"], "search_index.js").write_text(text, encoding="utf-8")
