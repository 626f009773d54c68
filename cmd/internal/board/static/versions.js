// Which versions and components run in the environments of each client, side by
// side, and what a promotion would bring.

import { el, render, said } from './dom.js';
import { ago, environmentName } from './format.js';

const count = (n, one) => `${n} ${n === 1 ? one : `${one}s`}`;

// cell is a version; it is marked when it is not that of the first column.
function cell(found, differs) {
  if (!found) return el('td', { class: differs ? 'differs' : '' }, el('span', { class: 'muted' }, differs ? '≠ none' : 'none'));
  return el('td', { class: differs ? 'differs' : '' },
    el('p', {}, differs && el('span', { class: 'sign' }, el('span', { 'aria-hidden': 'true' }, '≠ '), el('span', { class: 'quiet' }, 'differs: ')),
      el('a', { href: `#run/${found.runId}` }, said(found.version || 'no version'))),
    found.since && el('p', { class: 'muted' }, ago(found.since)));
}

function line(name, cells, main) {
  const base = cells[0]?.version;
  return el('tr', { 'data-key': `row-${main ? '' : 'c-'}${name}` },
    el('th', { scope: 'row' }, main ? name : said(name)),
    cells.map((c, i) => cell(c, i > 0 && c?.version !== base)));
}

function table(title, environments, rows) {
  return el('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': title },
    el('table', {},
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Component'), environments.map((e) => el('th', { scope: 'col' }, environmentName(e.environment))))),
      el('tbody', {}, rows)));
}

function changes(run) {
  return el('li', { 'data-key': `run-${run.id}` },
    el('p', {}, el('a', { href: `#run/${run.id}` }, said(run.version || 'no version')), ' ', el('span', { class: 'muted' }, ago(run.dateCompleted))),
    run.changes ? el('p', { class: 'changes' }, said(run.changes)) : el('p', { class: 'muted' }, 'no changes recorded'));
}

// promotion says what bringing a version to the next environment would mean.
function promotion(p, environments, key, opened) {
  const [to, from] = [p.to, p.from].map((code) => environments.find((e) => e.environment === code));
  const names = [environmentName(p.to), environmentName(p.from)];
  switch (p.relation) {
    case 'same': return el('p', { class: 'muted' }, `${names[0]} and ${names[1]} run the same version.`);
    case 'behind': return el('p', { class: 'muted' }, `${names[1]} is behind ${names[0]}, which had `, said(from.version), ' before.');
  }
  if (p.runs.length === 0) {
    return el('p', { class: 'muted' }, from.version
      ? [said(to.version || 'no version'), ` never ran in ${names[1]}, where no run has ended since ${names[0]} got it.`]
      : `Nothing runs in ${names[1]} that could be promoted.`);
  }
  const sum = `${count(p.runs.length, 'run')}${p.complete ? '' : ' or more'}`;
  return el('details', { 'data-key': key, open: opened.has(key) },
    el('summary', {}, ...(p.relation === 'ahead'
      ? ['Promoting ', said(from.version || 'no version'), ` from ${names[1]} to ${names[0]} brings ${sum}`]
      : [said(to.version || 'no version'), ` never ran in ${names[1]}; since ${names[0]} got it, ${sum} ended there`])),
    el('ol', { class: 'brings' }, p.runs.map(changes), !p.complete && el('li', { class: 'muted' }, 'There may be older ones.')));
}

function client(c, named, opened) {
  const id = c.client?.id ?? '';
  const title = named ? `Versions of ${c.client?.name ?? `client ${id}`}` : 'Versions';
  const byName = new Map();
  c.environments.forEach((e, i) => e.components.forEach((component) => {
    if (!byName.has(component.name)) byName.set(component.name, []);
    byName.get(component.name)[i] = component;
  }));
  const equal = [];
  const differing = [];
  for (const [name, found] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cells = c.environments.map((_, i) => found[i]);
    const same = cells.every((x) => x?.version === cells[0]?.version);
    (same && cells.length > 1 ? equal : differing).push(line(name, cells));
  }
  const key = `same-${id}`;
  return el('article', { class: 'panel versions', 'data-key': `client-${id}`, 'aria-label': title },
    named && el('h3', {}, said(c.client?.name ?? `client ${id}`)),
    table(title, c.environments, [line('Version', c.environments.map((e) => ({ version: e.version, since: e.since, runId: e.runId })), true), ...differing]),
    equal.length > 0 && el('details', { 'data-key': key, open: opened.has(key) },
      el('summary', {}, `${count(equal.length, 'component')} the same in all of them`),
      table(`${title} that are the same`, c.environments, equal)),
    c.environments.some((e) => !e.complete) && el('p', { class: 'muted' }, 'Only the newest runs were looked at; components that were deployed before them are not listed.'),
    c.promotions.map((p) => promotion(p, c.environments, `promotion-${id}-${p.to}-${p.from}`, opened)));
}

let last = '';

export function showVersions(container, response) {
  const text = JSON.stringify(response);
  if (text === last) return;
  last = text;
  const opened = new Set([...container.querySelectorAll('details[open]')].map((d) => d.dataset.key));
  render(container, response.clients.length > 0
    ? response.clients.map((c) => client(c, response.clients.length > 1, opened))
    : el('p', { class: 'panel empty' }, 'No version runs anywhere yet, as far as the log knows.'));
}
