// The page's link to its server: one connection, which follows what the reader chooses, ends while the tab is hidden,
// and comes back by itself.
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

export class Feed {
  readonly #listener: FeedListener;
  #view: Partial<View>;
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heardAt = performance.now();
  #isLive = false;

  constructor(view: Partial<View>, listener: FeedListener) {
    this.#view = view;
    this.#listener = listener;
  }

  get silentMs(): number {
    return performance.now() - this.#heardAt;
  }

  show(view: Partial<View>): void {
    this.#view = view;
    this.connect();
  }

  /** A browser has six connections to a server for all of its tabs together: a hidden tab holds none, and is not live. */
  connect(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = document.hidden ? undefined : this.#open();
    if (document.hidden && this.#isLive) this.#is('lost');
  }

  /** A feed that is silent is lost, although its connection may look open. */
  check(): void {
    if (!this.#isLive || this.silentMs < maxSilenceMs) return;
    this.#is('lost');
    this.connect();
  }

  #open(): EventSource {
    // Relative to the page, whose URL has the token.
    const source = new EventSource(`events?${new URLSearchParams({ ...this.#view }).toString()}`);
    source.addEventListener('error', () => {
      if (source !== this.#source) return;
      const isRejected = source.readyState === EventSource.CLOSED;
      this.#is(isRejected ? 'rejected' : 'lost');
      if (!isRejected) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.connect();
      }, reconnectAfterMs);
    });
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (source !== this.#source) return;
      const update = JSON.parse(data) as Update;
      this.#heardAt = performance.now();
      this.#is('live');
      this.#listener.update(update);
    });
    return source;
  }

  #is(status: PageLink['status']): void {
    this.#isLive = status === 'live';
    this.#listener.link(status);
  }
}
