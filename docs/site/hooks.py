"""What mkdocs has to know of this repository to show its pages as a site.

The pages lie where they belong, beside what they describe, and link to each other and to sources by relative paths. The
site keeps these paths: it has the pages of the navigation in mkdocs.yml, and a copy of each file that can be reached
from them. So there is one text of each page, and every link works in both places.
"""
import os
import pathlib
import re

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")


def slug(heading, _separator):
    """The anchor that a heading has in the repository's browsers: `a (b, c)` is #a-b-c."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def on_config(config):
    config["mdx_configs"]["toc"] = {"slugify": slug}
    return config


def pages_of(nav):
    """The paths in a navigation, which is a list of {title: path or list}."""
    for entry in nav:
        for value in entry.values():
            yield from pages_of(value) if isinstance(value, list) else [value]


def files_linked_in(page):
    for link in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if not path.startswith("..") and (ROOT / path).is_file():
            yield path


def on_files(files, config):
    """The theme's own files, the pages of the navigation, and what can be reached from these."""
    found, waiting = set(), list(pages_of(config["nav"]))
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += files_linked_in(path) if path.endswith(".md") else []
    pages = [File(path, str(ROOT), config["site_dir"], False) for path in sorted(found)]
    return Files(pages + [file for file in files if ROOT not in pathlib.Path(file.abs_src_path).parents])
