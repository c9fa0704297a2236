// The search, and a button at each block of code that copies it. Without this script the pages are the same, and whole.
"use strict";

const root = document.documentElement.dataset.root;

// The index is a script of 0.4 MB that assigns `searchIndex`, rows of [address, heading, text]: one for each heading of
// each page, and before these one for the page's name. It is loaded when somebody is about to search.
let index;
function loadIndex() {
  index ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${root}search_index.js`;
    script.onload = () => resolve(sectionsOf(searchIndex));
    document.head.append(script);
  });
  return index;
}

function sectionsOf(rows) {
  let page = "";
  return rows.map(([address, heading, text]) => {
    if (!address.includes("#")) page = heading;
    return { address, heading, page, text, inHeading: heading.toLowerCase(), inText: text.toLowerCase() };
  });
}

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const whole = (word) => new RegExp(`(?<!\\w)${escaped(word)}(?!\\w)`);

// How well a section answers, or 0 if it lacks one of the words. A whole word comes before all parts of words, and a
// heading says more than a mention.
function score({ inHeading, inText }, words) {
  let sum = 0;
  for (const word of words) {
    const times = inText.split(word).length - 1;
    const heading = !inHeading.includes(word) ? 0 : whole(word).test(inHeading) ? 30 : 15;
    if (times + heading === 0) return 0;
    sum += heading + Math.min(times, 5) + (heading === 30 || whole(word).test(inText) ? 1000 : 0);
  }
  return inHeading === words.join(" ") ? sum + 50 : sum;
}

// The text around the first of the words, with all of them marked.
function excerpt({ text, inText }, words) {
  const placeOf = (word) => (whole(word).test(inText) ? inText.search(whole(word)) : inText.indexOf(word));
  const places = words.map(placeOf).filter((place) => place >= 0);
  const start = text.lastIndexOf(" ", Math.max(0, Math.min(...places, text.length) - 40)) + 1;
  const end = text.indexOf(" ", start + 150);
  const shown = text.slice(places.length ? start : 0, end < 0 ? undefined : end);
  return shown.split(new RegExp(`(${words.map(escaped).join("|")})`, "i")).map((part, place) => {
    if (place % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

function result(section, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const heading = document.createElement("b");
  const text = document.createElement("small");
  link.href = root + section.address;
  heading.textContent = section.heading;
  text.append(...excerpt(section, words));
  link.append(heading, section.heading === section.page ? "" : ` · ${section.page}`, text);
  item.append(link);
  return item;
}

async function search(query, list) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (await loadIndex()).map((section) => [score(section, words), section]).filter(([points]) => points > 0);
  found.sort(([a], [b]) => b - a);
  list.replaceChildren(...found.slice(0, 20).map(([, section]) => result(section, words)));
  if (found.length === 0) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
  list.hidden = words.length === 0;
}

// A page's address with ?q=WORDS opens it with the answers.
function startSearch(box) {
  const input = box.querySelector("input");
  const list = box.querySelector("ol");
  box.hidden = false;
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  if (input.value) search(input.value, list);
  input.addEventListener("focus", loadIndex);
  input.addEventListener("input", () => search(input.value, list));
  input.addEventListener("keydown", (event) => event.key === "Enter" && list.querySelector("a")?.click());
  box.addEventListener("click", (event) => event.target.closest("a") && (list.hidden = true));
  document.addEventListener("click", (event) => !box.contains(event.target) && (list.hidden = true));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
}

// Of a session in a shell, only what was typed is copied: neither the prompts nor the answers.
function codeOf(block) {
  const copy = block.cloneNode(true);
  const session = copy.querySelector(".gp");
  copy.querySelectorAll(".gp, .go").forEach((part) => part.remove());
  return session ? copy.textContent.replace(/\n+/g, "\n") : copy.textContent;
}

// The clipboard belongs to pages from https and localhost; from elsewhere there is the old way.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

for (const block of document.querySelectorAll(".codehilite")) {
  const button = Object.assign(document.createElement("button"), { textContent: "Copy" });
  button.addEventListener("click", async () => {
    await copy(codeOf(block.querySelector("code")));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.append(button);
}
startSearch(document.querySelector("search"));
