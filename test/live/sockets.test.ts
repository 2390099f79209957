// The sockets of a live connection: refused upgrades, classes that throw, addresses.
import { createServer } from 'node:http';
import { createExchange, type LiveState } from 'exchange-rx';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { wsSockets, type Socket, type SocketEnd } from '../../src/live/connection/socket.js';
import { LiveExchange } from '../support/live-exchange.js';
import { portOf } from '../support/raw-server.js';
import { onFakeTime, seconds, setup } from './setup.js';
import { collected, eventsOf } from '../support/watch.js';

const markets = ['BTC_USDT'];

describe('a refused upgrade', () => {
  /** How long the client waits after a refusal with this header, seconds. */
  async function waitAfter(retryAfter: string): Promise<number> {
    const refusing = createServer();
    refusing.on('upgrade', (_, socket) => {
      socket.end(`HTTP/1.1 429 Busy\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    });
    const exchange = createExchange({ baseUrl: `http://127.0.0.1:${await portOf(refusing)}` });
    const events = eventsOf(exchange, 'live-connection');
    const subscription = exchange.live.lastPrice({ markets }).subscribe();
    const isWaiting = (state: LiveState): state is LiveState & { status: 'waiting' } => state.status === 'waiting';
    const { until } = await firstValueFrom(exchange.live.state$.pipe(filter(isWaiting)));
    subscription.unsubscribe();
    expect(events.flatMap(({ status }) => status ?? [])).toEqual([429]);
    return Math.round((until - Date.now()) / 1000);
  }

  it.each([
    ['seconds', '60', 60],
    ['30 days, of which one is honored', String(30 * 86_400), 86_400],
  ])('is followed by the wait that Retry-After requests: %s', async (_name, header, expected) => {
    expect(Math.abs((await waitAfter(header)) - expected)).toBeLessThanOrEqual(5);
  });
});

describe('a socket of the package ws', () => {
  async function open(frames: readonly (string | Buffer)[], onFrame: (socket: Socket) => void = () => undefined) {
    const http = createServer();
    const opened = new WebSocketServer({ server: http });
    opened.on('connection', (client, { socket }) => {
      socket.cork();
      for (const frame of frames) client.send(frame);
      socket.uncork();
      client.close(4000);
    });
    const reports: string[] = [];
    const socket = wsSockets()(`ws://127.0.0.1:${await portOf(http)}/ws`, {
      onOpen: () => reports.push('open'),
      onFrame: (text) => {
        reports.push(text ?? 'unreadable');
        onFrame(socket);
      },
      onEnd: ({ code }) => reports.push(`end ${String(code)}`),
    });
    return { opened, socket, reports };
  }

  it('reports its frames in order, a binary one as unreadable, and then its end', async () => {
    const { reports } = await open(['one', Buffer.from('two'), 'three']);
    await expect.poll(() => reports).toEqual(['open', 'one', 'unreadable', 'three', 'end 4000']);
  });

  it('reports nothing of the frames that came with the one at which it was terminated', async () => {
    const { opened, reports } = await open(['one', 'two', 'three'], (socket) => {
      socket.terminate();
    });
    await expect.poll(() => reports).toEqual(['open', 'one']);
    await expect.poll(() => opened.clients.size).toBe(0);
    expect(reports).toEqual(['open', 'one']);
  });

  it('makes no connection when it is terminated before one was started', async () => {
    const { opened, socket, reports } = await open([]);
    socket.terminate();
    await import('ws');
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened.clients.size).toBe(0);
    expect(reports).toEqual([]);
  });

  it('reports an invalid address as its end, later', async () => {
    const ends: SocketEnd[] = [];
    const nothing = () => undefined;
    wsSockets()('nonsense', { onOpen: nothing, onFrame: nothing, onEnd: (end) => ends.push(end) });
    expect(ends).toEqual([]);
    await expect.poll(() => ends).toEqual([{}]);
  });
});

describe('a class of sockets', () => {
  onFakeTime();

  it('whose send throws costs the connection, one whose close throws nothing, and neither the process', async () => {
    const server = new LiveExchange();
    let isOdd = true;
    class Odd extends server.webSocket {
      override send(text: string): void {
        if (isOdd) throw new Error('of the class');
        super.send(text);
      }
      override close(): void {
        super.close();
        throw new Error('of the class');
      }
    }
    const { exchange } = setup({}, { webSocket: Odd });
    const seen: string[] = [];
    const states = collected(exchange.live.state$, ({ status }) => status);
    const subscription = exchange.live.lastPrice({ markets }).subscribe(({ price }) => seen.push(price));
    await seconds(0.1);
    expect(states).toEqual(['idle', 'connecting', 'open', 'waiting']);
    isOdd = false;
    await seconds(1);
    server.last.push('lastprice_update', ['BTC_USDT', '1']);
    await seconds(1);
    expect(seen).toEqual(['1']);
    expect(server.open).toBe(1);
    subscription.unsubscribe();
    await seconds(1);
    expect(server.open).toBe(0);
  });
});

describe('the address of the live connection', () => {
  onFakeTime();

  it.each([
    ['https://exchange.example', 'wss://exchange.example/ws'],
    ['https://whitebit.com', 'wss://wss.whitebit.com/ws'],
    ['https://whitebit.eu', 'wss://api.whitebit.eu/ws'],
  ])('of %s is %s', async (baseUrl, expected) => {
    const urls: string[] = [];
    class Recorded extends new LiveExchange().webSocket {
      constructor(url: string) {
        super(url);
        urls.push(url);
      }
    }
    const { exchange } = setup({}, { baseUrl, webSocket: Recorded });
    const subscription = exchange.live.lastPrice({ markets }).subscribe();
    await seconds(1);
    subscription.unsubscribe();
    expect(urls).toEqual([expected]);
  });
});
