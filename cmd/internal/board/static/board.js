// The page: reads the log, listens to changes, shows both.

import { el, render, said } from './dom.js';
import { environmentName, inProgress, now, setEnvironments, setServerTime, stateName, tick } from './format.js';
import { card } from './cards.js';
import { measure } from './measures.js';
import { draw, keys } from './timeline.js';
import { detail, noDetail, row } from './history.js';
import { showVersions } from './versions.js';
import { searchWords, found } from './search.js';
import { follow, read, Refusal } from './feed.js';

const api = '/api/deployments';
const $ = (id) => document.getElementById(id);
const form = $('filters');
const defaults = { q: '', env: '', client: '', status: '', period: '30d' };

const firstShown = 25; // rows of the history
const moreShown = 100;
const pictured = 300; // runs read for the timeline

let filter = { ...defaults };
let status = []; // of the environments
let runs = new Map(); // by id
let next = ''; // where the history goes on
let total = 0;
let rows = firstShown;
let open; // the run in detail

const hours = () => (filter.period.endsWith('h') ? 1 : 24) * Number.parseInt(filter.period, 10);
const since = () => new Date(now() - hours() * 3600e3).toISOString().replace(/\.\d+Z$/, 'Z');
const newest = (a, b) => Date.parse(b.dateStarted) - Date.parse(a.dateStarted) || b.id - a.id;
const matches = (run) => (!filter.env || run.environment === filter.env)
  && (!filter.client || String(run.client?.id) === filter.client);
const listed = (run) => matches(run) && (!filter.status || run.status === filter.status)
  && (filter.q ? found(run, searchWords(filter.q)) : inProgress(run) || Date.parse(run.dateStarted) >= now() - hours() * 3600e3);

// --- the address carries what is shown, so that it can be sent to others

function readAddress() {
  const query = new URLSearchParams(location.search);
  filter = { ...defaults };
  for (const name of Object.keys(defaults)) {
    const value = query.get(name);
    if (value === null) continue;
    if (name === 'q') filter.q = value.slice(0, 100).trim();
    else if (name === 'client' ? /^\d{1,9}$/.test(value) : name === 'env' ? /^\w{1,10}$/.test(value) : [...form.elements[name].options].some((o) => o.value === value)) filter[name] = value;
  }
  for (const name of ['client', 'env']) {
    if (filter[name] && ![...form.elements[name].options].some((o) => o.value === filter[name])) {
      form.elements[name].append(el('option', { value: filter[name] }, filter[name]));
    }
  }
  for (const [name, value] of Object.entries(filter)) {
    if (name !== 'q' || form.elements.q.value.trim() !== value) form.elements[name].value = value;
  }
}

function writeAddress(replace) {
  const query = new URLSearchParams(Object.entries(filter).filter(([name, value]) => value !== defaults[name]));
  const text = query.size > 0 ? `?${query}` : '';
  if (text === location.search) return;
  const address = location.pathname + text + location.hash;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
}

// --- what is wrong, and what is said

const problems = new Map();

function problem(about, text) {
  if (text) problems.set(about, text);
  else problems.delete(about);
  const list = [...new Set(problems.values())];
  const node = $('problem');
  node.hidden = list.length === 0;
  const sentence = list.join('; ');
  const shown = sentence && `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
  if (node.textContent !== shown) node.textContent = shown;
}

let connected = false;
let log = { ok: true }; // whether the server can read it

// What is wrong is said as it is: an ERP that responds is not away.
const wrong = { away: 'ERP away', access: 'no access', missing: 'not installed' };

function showLog(state) {
  log = state;
  problem('erp', state.ok ? '' : state.problem);
  showLink();
}

function showLink() {
  const [state, text] = !connected ? ['connecting', 'connecting'] : log.ok ? ['live', 'live'] : ['away', wrong[log.reason] ?? 'not readable'];
  $('link').dataset.state = state;
  if ($('link').textContent !== text) $('link').textContent = text;
}

function announce(run) {
  $('announce').textContent = `${environmentName(run.environment)}: ${run.version || 'run'} ${stateName(run.status)}`;
}

// attempt reads something, says so when it cannot, and tries again while that
// may help. Only the newest attempt at something counts.
const attempts = new Map();

async function attempt(about, work) {
  clearTimeout(attempts.get(about)?.timer);
  const mine = {};
  attempts.set(about, mine);
  const stale = () => attempts.get(about) !== mine;
  try {
    await work(stale);
    if (!stale()) problem(about, '');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (stale()) return;
    problem(about, error.message);
    if (error.status === 0 || error.status >= 500) mine.timer = setTimeout(attempt, 5000, about, work);
  }
}

// --- reading

const readStatus = () => attempt('status', async (stale) => {
  const response = await read(api, { env: filter.env, client: filter.client });
  if (stale()) return;
  setServerTime(response.now);
  status = response.environments;
  showLog(response.state);
  showEnvironments(response.all);
  showClients(response.clients);
  showCards();
});

const readMeasures = () => attempt('measures', async (stale) => {
  const response = await read(`${api}/measures`, { env: filter.env, client: filter.client, period: filter.period });
  if (!stale()) render($('measures'), response.environments.map(measure));
});

const readVersions = () => attempt('versions', async (stale) => {
  const response = await read(`${api}/versions`, { client: filter.client });
  if (!stale()) showVersions($('versions'), response);
});

// A search goes through the whole log, a list through the period.
const page = (cursor) => read(`${api}/history`, { ...filter, period: '', since: filter.q ? '' : since(), limit: cursor ? 100 : 50, cursor });

const readHistory = () => attempt('history', async (stale) => {
  const fresh = new Map();
  let cursor = '';
  do {
    const response = await page(cursor);
    if (stale()) return;
    total = totalOf(fresh, response);
    for (const run of response.runs) fresh.set(run.id, run);
    cursor = response.next ?? '';
    runs = fresh;
    next = cursor;
    showRuns(); // what is there is shown while more is read
  } while (cursor && fresh.size < pictured);
  if (filter.q) $('announce').textContent = fresh.size > 0 ? `${cursor ? 'More than ' : ''}${amount(fresh.size)} found` : 'No run found';
});

// totalOf is how many runs there are, -1 while the server has not got to the end:
// it counts from its page on.
const totalOf = (before, response) => (response.total < 0 ? -1 : before.size + response.total);

const amount = (n) => `${n} ${n === 1 ? 'run' : 'runs'}`;

async function readMore() {
  rows += moreShown;
  if (rows > runs.size && next) {
    $('more').disabled = true;
    await attempt('history', async (stale) => {
      const response = await page(next);
      if (stale()) return;
      total = totalOf(runs, response);
      for (const run of response.runs) runs.set(run.id, run);
      next = response.next ?? '';
    });
    $('more').disabled = false;
  }
  showRuns();
}

function readAll() {
  rows = firstShown;
  readStatus();
  readHistory();
  readMeasures();
  readVersions();
}

// --- showing

function showCards() {
  const shown = status.filter((s) => !filter.env || s.environment === filter.env);
  const clients = new Set([...runs.values(), ...shown.map((s) => s.current)].map((run) => run?.client?.id).filter((id) => id !== undefined));
  render($('cards'), shown.map((s) => card(s, clients.size > 1)));
  const busy = shown.filter((s) => s.current && inProgress(s.current)).length;
  document.title = busy > 0 ? `(${busy}) Deployments` : 'Deployments';
}

// choices are what a filter can be, and what it is.
function choices(filterName, list) {
  const select = form.elements[filterName];
  const chosen = filter[filterName];
  const options = [['', 'All'], ...list];
  if (!options.some(([value]) => value === chosen)) options.push([chosen, chosen]);
  render(select, options.map(([value, name]) => el('option', { value, dir: 'auto' }, name)));
  select.value = chosen;
}

function showEnvironments(list) {
  setEnvironments(list);
  choices('env', list.map((e) => [e.environment, e.name]));
}

function showClients(clients) {
  choices('client', clients.map((c) => [String(c.id), c.name || `client ${c.id}`]));
  form.elements.client.closest('label').hidden = clients.length < 2 && !filter.client;
}

function showRuns() {
  const list = [...runs.values()].sort(newest);
  render($('history'), list.length > 0
    ? list.slice(0, rows).map(row)
    : el('li', { class: 'empty' }, filter.q ? [next ? 'No run found yet has all of ' : 'No run has all of ', said(filter.q), next ? '; older ones are searched.' : '.'] : filter.status || filter.env || filter.client
      ? 'No run of the period matches.'
      : ['No run in this period. ', el('code', {}, 'erphub env deploy start --env PROD --version 1.2.3'), ' records one.']));
  const shown = Math.min(rows, list.length);
  const all = Math.max(total, list.length);
  $('shown').textContent = list.length === 0 ? '' : total < 0 && next ? amount(shown) : `${shown} of ${amount(all)}${filter.q ? ' found in the whole log' : ''}`;
  $('more').hidden = shown >= list.length && !next;
  showTimeline();
}

function showTimeline() {
  const list = [...runs.values()].sort(newest);
  draw($('timeline'), list, { env: filter.env, hours: hours(), note: next ? `The newest ${list.length}${total < 0 ? '' : ` of ${total}`} runs; choose a shorter period, or show older runs below.` : '' });
}

async function showDetail() {
  const dialog = $('detail');
  const id = /^#run\/([0-9a-f-]{1,36})$/i.exec(location.hash)?.[1];
  if (!id) {
    open = undefined;
    if (dialog.open) dialog.close();
    return;
  }
  const asked = open = id;
  let content;
  try {
    content = detail(await read(`${api}/${id}`));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    content = noDetail('This run cannot be shown', error.message);
  }
  if (asked !== open) return;
  render(dialog, content);
  if (!dialog.open) dialog.showModal();
}

function closeDetail() {
  if (location.hash.startsWith('#run/')) {
    history.pushState(null, '', location.pathname + location.search);
    open = undefined;
  }
}

// --- changes

let statusTimer;
let measuresTimer;
const later = (timer, work, ms) => {
  clearTimeout(timer);
  return setTimeout(work, ms);
};

function changed(run) {
  const before = runs.get(run.id) ?? status.find((s) => s.current?.id === run.id)?.current;
  const moved = before?.status !== run.status;
  if (listed(run)) {
    if (!runs.has(run.id) && total >= 0) total += 1;
    runs.set(run.id, run);
  } else if (runs.delete(run.id) && total > 0) {
    total -= 1;
  }
  showRuns();
  if (matches(run)) {
    const shown = status.find((s) => s.environment === run.environment);
    if (shown?.current?.id === run.id) {
      shown.current = run;
      showCards();
    }
    if (moved) {
      announce(run);
      statusTimer = later(statusTimer, readStatus, 50);
      measuresTimer = later(measuresTimer, () => { readMeasures(); readVersions(); }, 500);
    }
  }
  if (open && (String(run.id) === open || run.uuid === open)) showDetail();
}

function reset() {
  readStatus();
  readHistory();
  readMeasures();
  readVersions();
  if (open) showDetail();
}

// --- wiring

form.addEventListener('change', (event) => {
  if (event.target.name === 'q') return; // it is followed letter by letter
  for (const name of Object.keys(defaults)) filter[name] = form.elements[name].value.trim();
  writeAddress();
  readAll();
});

// What is loaded is searched at once, the log when the typing pauses.
let searchTimer;
form.elements.q.addEventListener('input', () => {
  const before = filter.q;
  filter.q = form.elements.q.value.trim();
  if (filter.q === before) return;
  writeAddress(before !== '' && filter.q !== '');
  rows = firstShown;
  next = '';
  runs = new Map([...runs].filter(([, run]) => listed(run)));
  total = runs.size;
  showRuns();
  searchTimer = later(searchTimer, readHistory, 250);
});
document.addEventListener('keydown', (event) => {
  const search = form.elements.q;
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !$('detail').open && !event.target.closest?.('input, select, textarea')) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === 'Escape' && event.target === search) {
    event.preventDefault();
    if (search.value) {
      search.value = '';
      search.dispatchEvent(new Event('input'));
    } else {
      search.blur();
    }
  }
});
form.addEventListener('submit', (event) => event.preventDefault());
$('more').addEventListener('click', readMore);
keys($('timeline'));

window.addEventListener('hashchange', showDetail);
window.addEventListener('popstate', () => {
  const before = JSON.stringify(filter);
  readAddress();
  if (JSON.stringify(filter) !== before) readAll();
  showDetail();
});
$('detail').addEventListener('close', closeDetail);
$('detail').addEventListener('click', (event) => {
  if (event.target === $('detail') || event.target.closest('.close')) $('detail').close();
});

let width = 0;
new ResizeObserver(() => {
  const wide = $('timeline').clientWidth;
  if (wide !== width) {
    width = wide;
    showTimeline();
  }
}).observe($('timeline'));

setInterval(() => {
  if (!document.hidden) tick();
}, 1000);
setInterval(() => {
  if (!document.hidden) showTimeline(); // time goes on
}, 60_000);

readAddress();
readAll();
showDetail();
follow(`${api}/events`, {
  run: changed,
  reset,
  link: (up) => {
    connected = up;
    showLink();
  },
  state: showLog,
});
