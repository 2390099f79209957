// Those who watch order books on a connection: from the socket to the program's own function.
import { createExchange } from 'exchange-rx';
import { WebSocket } from 'ws';
import { isRecord } from '../../../src/model/map.js';
import { watchWithCcxt } from '../performance/contenders/ccxt/order-books.js';

export interface Watching {
  readonly url: string;
  readonly markets: readonly string[];
  readonly limit: 50 | 100;
  /** Called for each message, with the time at which it was sent where the contender knows it. */
  readonly onBook: (sentAt: number | undefined) => void;
}

/** `ws by hand` parses the messages, and keeps no book: it is the floor. */
export const bookWatchers = {
  'ws by hand': watchByHand,
  'exchange-rx': watchWithSdk,
  'ccxt.pro': watchWithCcxt,
} as const satisfies Readonly<Record<string, (watching: Watching) => void | Promise<void>>>;

export type BookWatcher = keyof typeof bookWatchers;

function watchByHand({ url, markets, limit, onBook }: Watching): void {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('open', () => {
    for (const [id, market] of markets.entries()) {
      socket.send(JSON.stringify({ id, method: 'depth_subscribe', params: [market, limit, '0', true] }));
    }
  });
  socket.on('message', (text: Buffer) => {
    const message: unknown = JSON.parse(text.toString());
    const params = isRecord(message) ? message['params'] : undefined;
    const data: unknown = Array.isArray(params) ? params[1] : undefined;
    if (isRecord(data)) onBook(Number(data['event_time']));
  });
}

function watchWithSdk({ url, markets, limit, onBook }: Watching): void {
  const exchange = createExchange({ baseUrl: 'https://exchange.example', live: { url } });
  for (const market of markets) {
    exchange.live.orderBook({ market, limit }).subscribe(({ status, eventTime }) => {
      if (status === 'stale') throw new Error(`the book of ${market} is stale`);
      onBook(eventTime);
    });
  }
}
