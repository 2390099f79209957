// The page: receives messages, keeps their history and draws it. After a lost connection it reconnects, and the history
// contains all that it missed.
import type { History, Message } from '../messages.js';
import { appendMessage } from '../history.js';
import { createPage } from './render.js';

/**
 * A browser does not reconnect after a response that is no event stream: the dashboard has too many pages, or another
 * dashboard has its port.
 */
const reconnectAfterMs = 5000;

const page = createPage(document);
let history: History = {
  about: { baseUrl: '', sandbox: false, account: false },
  health: [],
  balances: [],
  usage: [],
  orders: [],
  problems: [],
};

/** A browser has six connections to a server for all of its tabs together: a hidden tab holds none. */
let current: EventSource | undefined;
let reconnectTimer: ReturnType<typeof setTimeout> | undefined;

connect();
document.addEventListener('visibilitychange', connect);

function connect(): void {
  clearTimeout(reconnectTimer);
  current?.close();
  current = document.hidden ? undefined : open();
}

function open(): EventSource {
  // Relative to the page, whose URL has the token.
  const source = new EventSource('events');
  source.addEventListener('open', () => {
    page.showConnection('live');
  });
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) {
      page.showConnection('lost');
      return;
    }
    page.showConnection('rejected');
    reconnectTimer = setTimeout(connect, reconnectAfterMs);
  });
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const message = readMessage(data);
    if (message === undefined) return;
    history = appendMessage(history, message);
    page.draw(history, message.type);
  });
  return source;
}

/** `undefined` for malformed data. */
function readMessage(data: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(data);
    return isMessage(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function isMessage(value: unknown): value is Message {
  if (!isObject(value)) return false;
  const { type, history, health, balance, usage, orders, problem, book } = value;
  switch (type) {
    case 'history':
      return (
        isObject(history) &&
        isObject(history['about']) &&
        ['health', 'balances', 'usage', 'orders', 'problems'].every((list) => Array.isArray(history[list]))
      );
    case 'health':
      return isObject(health);
    case 'balance':
      return isObject(balance) && Array.isArray(balance['assets']);
    case 'usage':
      return Array.isArray(usage);
    case 'orders':
      return Array.isArray(orders);
    case 'problem':
      return isObject(problem);
    case 'book':
      return isObject(book);
    default:
      return false;
  }
}
