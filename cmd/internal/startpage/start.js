// Looks into the ERP of this address as one of its users: at tables and rows over its
// REST API, and with SELECT over its governed SQL. Values only ever become text nodes.

const rest = '/api/v1';
const sqlPath = '/api/ai/v1/query';
const pageRows = 50;
const counters = 3; // counts that are read at the same time
const shownFirst = ['c_bpartner', 'c_order', 'c_invoice', 'c_payment', 'm_product', 'ad_user', 'ad_role'];
const shownLast = ['AD_Client_ID', 'AD_Org_ID', 'IsActive', 'Created', 'CreatedBy', 'Updated', 'UpdatedBy'];

const $ = (id) => document.getElementById(id);

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// --- requests

class Refusal extends Error {}

async function send(path, token, body) {
  const headers = { Accept: 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Refusal('the server does not respond');
  }
  const value = await response.json().catch(() => undefined);
  if (response.ok && value) return value;
  const refusal = new Refusal([value?.error?.message ?? value?.detail ?? value?.title ?? `the server responded with ${response.status}`, value?.error?.hint].filter(Boolean).join('; '));
  refusal.status = response.status;
  throw refusal;
}

const users = [...$('user').options].map((option) => ({ ...option.dataset, named: option.dataset.user }));
const sessions = new Map(); // promises of tokens, by user

function token(user) {
  if (!sessions.has(user)) {
    const login = logIn(user);
    login.catch(() => sessions.delete(user));
    sessions.set(user, login);
  }
  return sessions.get(user);
}

// logIn works in the first organization of a user for whom none is named.
async function logIn(user) {
  const credentials = { userName: user.named, password: user.password || $('password').value };
  const parameters = { clientId: Number(user.client), roleId: Number(user.role), organizationId: Number(user.org) };
  if (!user.org) {
    const started = await send(`${rest}/auth/tokens`, '', credentials);
    const choice = await send(`${rest}/auth/organizations?client=${user.client}&role=${user.role}`, started.token);
    parameters.organizationId = choice.organizations[0]?.id ?? 0;
  }
  return (await send(`${rest}/auth/tokens`, '', { ...credentials, parameters })).token;
}

// ask sends a request as a user, and logs in again when the token has ended.
async function ask(user, path, body) {
  try {
    return await send(path, await token(user), body);
  } catch (error) {
    if (error.status !== 401 || !sessions.delete(user)) throw error;
    return send(path, await token(user), body);
  }
}

let problems = ''; // what the problem shown is about

// attempt does something, and shows why it failed. What was started before another
// user or table was chosen is dropped: stale() says so.
const current = new Map();
async function attempt(about, work) {
  const mine = {};
  current.set(about, mine);
  const stale = () => current.get(about) !== mine;
  try {
    await work(stale);
    if (!stale() && problems === about) $('problem').hidden = true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (stale()) return;
    problems = about;
    $('problem').textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
    $('problem').hidden = false;
  }
}

// --- tables

let user = users[0];
let models = [];
let counts = new Map();
let waiting = []; // names of tables whose count was not read yet
let counting = 0;
let table = '';
let skip = 0;

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    waiting.push(entry.target.dataset.table);
  }
  countNext();
}, { root: $('tables') });

function countNext() {
  while (counting < counters && waiting.length > 0) {
    const name = waiting.shift();
    if (counts.has(name)) continue;
    const mine = counts;
    mine.set(name, '');
    counting += 1;
    ask(user, `${rest}/models/${encodeURIComponent(name)}?$top=1&$select=AD_Client_ID`)
      .then((r) => r['row-count'].toLocaleString('en'), () => '–')
      .then((text) => {
        counting -= 1;
        mine.set(name, text);
        if (mine === counts) showCount(name);
        countNext();
      });
  }
}

function showCount(name) {
  const node = document.querySelector(`[data-table="${CSS.escape(name)}"] span:last-child`);
  if (node) node.textContent = counts.get(name) ?? '';
}

function showTables() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((m) => words.every((w) => m['model-name'].includes(w) || m.name.toLowerCase().includes(w)));
  seen.disconnect();
  waiting = [];
  $('tables').replaceChildren(...found.map((m) => {
    const name = m['model-name'];
    const button = el('button', { type: 'button', title: m.name, 'data-table': name, 'aria-current': name === table },
      el('span', {}, name), el('span', {}, counts.get(name) ?? ''));
    button.addEventListener('click', () => openTable(name));
    if (!counts.has(name)) seen.observe(button);
    return el('li', {}, button);
  }));
  $('amount').textContent = `${found.length} of ${models.length} that the role may read`;
}

const readTables = () => attempt('tables', async (stale) => {
  const order = (m) => (shownFirst.indexOf(m['model-name']) + 1) || shownFirst.length + 1;
  const response = await ask(user, `${rest}/models`);
  if (stale()) return;
  models = response.models.sort((a, b) => order(a) - order(b) || a['model-name'].localeCompare(b['model-name']));
  showTables();
  if (!models.some((m) => m['model-name'] === table)) table = models[0]?.['model-name'] ?? '';
  if (table) openTable(table, skip);
});

function openTable(name, from = 0) {
  table = name;
  skip = from;
  for (const button of document.querySelectorAll('[data-table]')) button.setAttribute('aria-current', button.dataset.table === name);
  attempt('rows', async (stale) => {
    const response = await ask(user, `${rest}/models/${encodeURIComponent(name)}?$top=${pageRows}&$skip=${from}`);
    if (stale()) return;
    const total = response['row-count'];
    counts.set(name, total.toLocaleString('en'));
    showCount(name);
    $('table').textContent = name;
    $('page').textContent = response.records.length > 0 ? `${from + 1} to ${from + response.records.length} of ${total}` : 'no rows that the role may see';
    $('before').hidden = from === 0;
    $('after').hidden = from + response.records.length >= total;
    const names = new Set(response.records.flatMap((r) => Object.keys(r)));
    for (const last of ['uid', 'model-name']) names.delete(last);
    for (const last of shownLast) if (names.delete(last)) names.add(last);
    $('grid').replaceChildren(grid([...names].map((column) => ({ name: column })), response.records.map((r) => [...names].map((column) => r[column]))));
  });
}

// --- values

function text(value) {
  if (value === undefined || value === null) return '';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (typeof value === 'object') return String(value.identifier ?? value.id ?? JSON.stringify(value));
  return String(value);
}

// grid is a table of values. Nothing in a text turns the direction of what is around it.
function grid(columns, rows) {
  const cell = (value) => {
    const shown = text(value);
    return el('td', { title: shown, class: typeof value === 'number' ? 'number' : '' }, el('bdi', {}, shown));
  };
  return el('table', {},
    el('thead', {}, el('tr', {}, ...columns.map((c) => el('th', { scope: 'col', class: c.redacted ? 'masked' : '' }, c.redacted ? `${c.name} (masked)` : c.name)))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map(cell)))));
}

// --- SQL

const query = (who, sql) => ask(who, sqlPath, { sql, roleId: Number(who.role), maxRows: 200 });
const rowsText = (n) => `${n} ${n === 1 ? 'row' : 'rows'}`;

const runSQL = () => attempt('sql', async (stale) => {
  const sql = $('sql').value;
  $('others').replaceChildren();
  $('answer').textContent = 'Running …';
  let response;
  try {
    response = await query(user, sql);
  } catch (error) {
    if (stale() || !(error instanceof Refusal)) throw error;
    $('answer').textContent = `Refused: ${error.message}.`;
    $('result').replaceChildren();
  }
  if (stale()) return;
  if (response) {
    const masked = response.columns.filter((c) => c.redacted).map((c) => c.name);
    $('answer').textContent = [`${rowsText(response.rowCount)}${response.truncated ? ', and there are more' : ''}; read: ${response.tables.join(', ') || 'no table'}`,
      masked.length > 0 && `masked: ${masked.join(', ')}`, ...(response.notes ?? [])].filter(Boolean).join('; ');
    $('result').replaceChildren(grid(response.columns, response.rows));
  }
  for (const other of users.filter((u) => u !== user && u.password)) {
    const says = await query(other, sql).then((r) => compare(response, r), (error) => `refused: ${error.message}`);
    if (stale()) return;
    $('others').append(el('li', {}, `${other.named} (role ${other.role}): ${says}`));
  }
});

// compare says what another role sees of the same statement.
function compare(mine, others) {
  if (mine && JSON.stringify(mine.rows) === JSON.stringify(others.rows)) return 'the same rows';
  if (others.rowCount === 1 && others.columns.length === 1) return text(others.rows[0][0]);
  return `${rowsText(others.rowCount)}${mine ? ', not the same' : ''}`;
}

// --- wiring

function choose() {
  user = users[$('user').selectedIndex];
  $('password').closest('label').hidden = Boolean(user.password);
  counts = new Map();
  models = [];
  skip = 0;
  showTables();
  for (const id of ['grid', 'result', 'others', 'answer', 'page', 'table']) $(id).replaceChildren();
  $('problem').hidden = true;
  for (const about of current.keys()) current.set(about, {});
  if (user.password || $('password').value) readTables();
}

$('user').addEventListener('change', choose);
$('password').addEventListener('change', choose);
$('who').addEventListener('submit', (event) => event.preventDefault());
$('search').addEventListener('input', showTables);
$('before').addEventListener('click', () => openTable(table, Math.max(0, skip - pageRows)));
$('after').addEventListener('click', () => openTable(table, skip + pageRows));
$('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  runSQL();
});
$('sql').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    runSQL();
  }
});
choose();
