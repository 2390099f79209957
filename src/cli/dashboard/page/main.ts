// The page's beginning: it listens to the server, keeps what it hears, and draws it. The connection is made again; what
// was missed meanwhile comes with the history.
import type { History, Message } from '../messages.js';
import { remember } from '../remember.js';
import { createPage } from './render.js';

/**
 * The browser does not try again where a response was no stream: the dashboard has its pages, or another one has its
 * port.
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

/**
 * How it listens now. A browser has six connections to a server, for all of its tabs together: a tab that nobody sees
 * has none.
 */
let current: EventSource | undefined;
let nextTry: ReturnType<typeof setTimeout> | undefined;

listen();
document.addEventListener('visibilitychange', listen);

function listen(): void {
  clearTimeout(nextTry);
  current?.close();
  current = document.hidden ? undefined : open();
}

function open(): EventSource {
  // Beside the page: its address has the token.
  const source = new EventSource('events');
  source.addEventListener('open', () => {
    page.connection('live');
  });
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) {
      page.connection('lost');
      return;
    }
    page.connection('refused');
    nextTry = setTimeout(listen, reconnectAfterMs);
  });
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const message = readMessage(data);
    if (message === undefined) return;
    history = remember(history, message);
    page.draw(history, message.type);
  });
  return source;
}

/** `undefined` for what is no message. */
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
  const { type, history, health, balance, usage, orders, problem } = value;
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
    default:
      return false;
  }
}
