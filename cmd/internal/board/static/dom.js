// Small helpers to make elements. Text of runs only ever becomes text nodes.

const svgNames = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
  return node;
}

export const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) => fill(document.createElementNS(svgNames, name), attributes, children);

// said is text that somebody else wrote: its direction is its own, and does
// not reach beyond it.
export const said = (text, attributes) => el('bdi', { dir: 'auto', ...attributes }, plain(text));

// plain shows characters that would turn the text around them for what they
// are: strangers.
export const plain = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

// morph makes target look like source and keeps what is equal, so that focus,
// selection and movement survive. Children with a data-key are matched by it.
export function morph(target, source) {
  for (const { name } of [...target.attributes]) {
    if (!source.hasAttribute(name)) target.removeAttribute(name);
  }
  for (const { name, value } of source.attributes) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
  morphChildren(target, source);
}

export function morphChildren(target, source) {
  const keyed = new Map();
  for (const child of target.children) {
    if (child.dataset.key) keyed.set(child.dataset.key, child);
  }
  const stays = new Set([...source.children].map((child) => child.dataset.key).filter(Boolean));
  let at = target.firstChild;
  for (const wanted of [...source.childNodes]) {
    const key = wanted.dataset?.key;
    let have = key ? keyed.get(key) : at;
    if (!key && have?.dataset?.key) have = undefined; // that one is somebody else's
    // What goes is removed first: a node that is moved would lose the focus.
    while (have && key && at && at !== have && !stays.has(at.dataset?.key)) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    if (!have || have.nodeType !== wanted.nodeType || have.nodeName !== wanted.nodeName) {
      target.insertBefore(wanted, at);
      continue;
    }
    if (have !== at) target.insertBefore(have, at);
    else at = at.nextSibling;
    if (have.nodeType === Node.TEXT_NODE) {
      if (have.data !== wanted.data) have.data = wanted.data;
    } else {
      morph(have, wanted);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

// render shows children in a container.
export function render(container, ...children) {
  const wanted = document.createElement(container.localName);
  wanted.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  morphChildren(container, wanted);
}
