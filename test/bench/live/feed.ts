// A live exchange on a port, in a process of its own: it sends changes of the subscribed order books at a rate.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { givenOptions, sendToParent } from '../../support/children.js';
import { listening } from '../../support/ports.js';
import { DepthMarket } from './depth-messages.js';

export interface FeedOptions {
  /** Messages a second, of all markets together. */
  readonly perSecond: number;
  /** Levels of each side of a book. */
  readonly levels: number;
  /** Ends each connection after this time, milliseconds. Default: never. */
  readonly cutEveryMs?: number;
}

const server = createServer();

/** Seconds of a clock that all processes of the machine share. */
const sharedNow = () => Number(process.hrtime.bigint()) / 1e9;

function serve({ perSecond, levels, cutEveryMs }: FeedOptions): void {
  new WebSocketServer({ server }).on('connection', (socket) => {
    const markets = new Map<string, DepthMarket>();
    let sent = 0;
    let since = performance.now();
    const timer = setInterval(() => {
      if (markets.size === 0) {
        since = performance.now();
        return;
      }
      const due = Math.floor(((performance.now() - since) / 1000) * perSecond);
      const all = [...markets.values()];
      for (; sent < due; sent += 1) socket.send(all[sent % all.length]?.delta(sharedNow()) ?? '');
    }, 1);
    const end = () => {
      socket.terminate();
    };
    const cut = cutEveryMs === undefined ? undefined : setTimeout(end, cutEveryMs);
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(cut);
    });
    socket.on('error', () => undefined);
    socket.on('message', (text: Buffer) => {
      const { id, method, params } = JSON.parse(text.toString()) as { id: number; method: string; params: string[] };
      const [name = ''] = params;
      const result = method === 'ping' ? 'pong' : { status: 'success' };
      socket.send(JSON.stringify({ id, result, error: null }));
      if (method === 'depth_unsubscribe') markets.delete(name);
      if (method !== 'depth_subscribe') return;
      const market = new DepthMarket(name, Number(name.replaceAll(/\D/g, '')) + 1, levels);
      markets.set(name, market);
      socket.send(market.snapshot(sharedNow()));
    });
  });
}

process.on('disconnect', () => {
  process.exit();
});
serve(givenOptions() as FeedOptions);
const opened = { url: `ws://127.0.0.1:${await listening(server)}` };
export type FeedOpened = typeof opened;
sendToParent(opened);
