// The page's link to its server: one connection, which follows what the reader chooses, ends while the tab is hidden,
// and comes back by itself; and the requests of the page.
import type { Update, View } from '../messages.js';
import type { PageLink } from './views/state.js';

/**
 * A browser does not reconnect after a response that is no event stream: the dashboard has too many pages, or another
 * dashboard has its port.
 */
const reconnectAfterMs = 5000;
/** The server sends something at least once a second. */
const maxSilenceMs = 3500;

export interface FeedListener {
  update(update: Update): void;
  link(status: PageLink['status']): void;
}

export function createFeed(first: Partial<View>, listener: FeedListener) {
  let view = first;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardAt = performance.now();
  let isLive = false;
  const silentMs = () => performance.now() - heardAt;
  const is = (status: PageLink['status']) => {
    isLive = status === 'live';
    listener.link(status);
  };

  const open = (): EventSource => {
    // Relative to the page, whose URL has the token.
    const opened = new EventSource(`events?${new URLSearchParams({ ...view }).toString()}`);
    opened.addEventListener('error', () => {
      if (opened !== source) return;
      const isRejected = opened.readyState === EventSource.CLOSED;
      is(isRejected ? 'rejected' : 'lost');
      if (!isRejected) return;
      clearTimeout(timer);
      timer = setTimeout(connect, reconnectAfterMs);
    });
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (opened !== source) return;
      heardAt = performance.now();
      is('live');
      listener.update(JSON.parse(data) as Update);
    });
    return opened;
  };
  /** A browser has six connections to a server for all of its tabs together: a hidden tab holds none, and is not live. */
  const connect = () => {
    clearTimeout(timer);
    source?.close();
    source = document.hidden ? undefined : open();
    if (document.hidden && isLive) is('lost');
  };
  return {
    ...{ connect, silentMs },
    show(chosen: Partial<View>) {
      view = chosen;
      connect();
    },
    /** A feed that is silent is lost, although its connection may look open. */
    check() {
      if (!isLive || silentMs() < maxSilenceMs) return;
      is('lost');
      connect();
    },
  };
}

/** A request to the server; `undefined` when there is no response that can be read. */
export async function post<Response>(path: string, body: unknown): Promise<Response | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.ok ? ((await response.json()) as Response) : undefined;
  } catch {
    return undefined;
  }
}
