// Responses and events of the server.

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function read(path, query, signal) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value);
  const url = given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: 'application/json' } });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal(0, 'the server of this page does not respond');
  }
  const body = await response.json().catch(() => undefined);
  if (!response.ok || body === undefined) throw new Refusal(response.status, body?.detail ?? `the server responded with ${response.status}`);
  return body;
}

// follow listens to changes. The browser comes back by itself after a break and
// names the last event it saw; where it gives up, or hears nothing for long, it
// is started anew and everything is read again.
export function follow(path, on) {
  let source;
  let silent;
  let wait = 1000;
  let fresh = true;
  const heard = () => {
    clearTimeout(silent);
    silent = setTimeout(again, 45_000);
  };
  const again = () => {
    clearTimeout(silent);
    source?.close();
    on.link(false);
    fresh = false;
    setTimeout(open, wait);
    wait = Math.min(wait * 2, 30_000);
  };
  const open = () => {
    source = new EventSource(path);
    heard();
    source.onopen = () => {
      wait = 1000;
      heard();
      on.link(true);
      if (!fresh) on.reset(); // a new source names no last event
      fresh = true;
    };
    source.onerror = () => {
      on.link(false);
      if (source.readyState === EventSource.CLOSED) again();
    };
    const listen = (name, does) => source.addEventListener(name, (event) => {
      heard();
      does?.(JSON.parse(event.data));
    });
    listen('run', on.run);
    listen('state', on.state);
    listen('reset', on.reset);
    listen('beat');
  };
  open();
}
