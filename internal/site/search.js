// Search: sections of all pages that have every word, or begin one of theirs with it.
"use strict";
const field = document.getElementById("search");
const list = document.getElementById("found");
const menu = document.getElementById("menu");
let ready; // the sections, with their words in lower case

function load() {
  ready ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "sections.js";
    script.onload = () => resolve(sections.map((s) => ({ ...s, title: s.t.toLowerCase(), text: s.x.toLowerCase() })));
    script.onerror = reject;
    document.head.append(script);
  });
  return ready;
}

// worth says how well a section fits: 0 where a word is missing.
function worth(s, words) {
  let sum = 0;
  for (const word of words) {
    const start = new RegExp("(?<![\\p{L}\\p{N}])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gu");
    const inTitle = (s.title.match(start) ?? []).length;
    const inText = (s.text.match(start) ?? []).length;
    if (!inTitle && !inText) return 0;
    sum += 20 * inTitle + Math.min(inText, 5) / (1 + s.text.length / 2000);
  }
  return sum;
}

function around(s, word) {
  const at = Math.max(0, s.text.indexOf(word) - 50);
  return (at ? "… " : "") + s.x.slice(at, at + 140) + (s.x.length > at + 140 ? " …" : "");
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = !words.length;
  menu.hidden = !list.hidden;
  if (!words.length) return;
  const all = await load();
  const best = all.map((s) => [worth(s, words), s]).filter(([w]) => w > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
  list.replaceChildren(...best.map(([, s]) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = s.p;
    link.textContent = s.t;
    link.appendChild(document.createElement("small")).textContent = around(s, words[0]);
    return item;
  }));
  if (!best.length) list.textContent = "No page has all of these words.";
}

field.addEventListener("input", search);
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== field) {
    e.preventDefault();
    field.focus();
  }
});
