// The sockets of a live connection: refused upgrades, frames, addresses.
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createExchange, type LiveState } from 'exchange-rx';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { maxFrameBytes, wsSockets, type Socket, type SocketEnd } from '../../src/live/connection/socket.js';
import { LiveExchange } from '../support/live-exchange.js';
import { portOf } from '../support/raw-server.js';
import { onFakeTime, seconds, setup } from './setup.js';
import { eventsOf } from '../support/watch.js';

const markets = ['BTC_USDT'];

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
])('a refused upgrade is followed by the wait that Retry-After requests: %s', async (_name, header, expected) => {
  expect(Math.abs((await waitAfter(header)) - expected)).toBeLessThanOrEqual(5);
});

describe('a socket of the package ws', () => {
  /** Sends each of these in two parts, and then closes the connection. */
  async function open(frames: readonly (string | Buffer)[], onFrame: (socket: Socket) => void = () => undefined) {
    const http = createServer();
    const opened = new WebSocketServer({ server: http });
    opened.on('connection', (client, { socket }) => {
      socket.cork();
      for (const frame of frames) {
        client.send(frame.slice(0, 1), { fin: false });
        client.send(frame.slice(1));
      }
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
    return { opened, reports };
  }

  it('reports its frames in order, a binary one as unreadable, and then its end', async () => {
    const { reports } = await open(['one', Buffer.from('two'), 'three']);
    await expect.poll(() => reports).toEqual(['open', 'one', 'unreadable', 'three', 'end 4000']);
  });

  it('ends at a frame that is too large', async () => {
    const { reports } = await open(['x'.repeat(maxFrameBytes + 1), 'two']);
    await expect.poll(() => reports).toEqual(['open', expect.stringMatching('end')]);
  });

  it('reports nothing of the frames that came with the one at which it was terminated', async () => {
    const { opened, reports } = await open(['one', 'two', 'three'], (socket) => {
      socket.terminate();
    });
    await expect.poll(() => reports).toEqual(['open', 'one']);
    await expect.poll(() => opened.clients.size).toBe(0);
    expect(reports).toEqual(['open', 'one']);
  });

  it('that is terminated at once makes no connection, and a later one that is never upgraded is closed', async () => {
    let accepted = 0;
    let closed = 0;
    const silent = createTcpServer((peer) => {
      accepted += 1;
      peer.resume().on('close', () => (closed += 1));
    });
    const port = await portOf(silent);
    const reports: unknown[] = [];
    const report = (end?: unknown) => reports.push(end);
    const opening = () => wsSockets()(`ws://127.0.0.1:${port}/ws`, { onOpen: report, onFrame: report, onEnd: report });
    opening().terminate();
    const socket = opening();
    await expect.poll(() => accepted).toBe(1);
    socket.terminate();
    await expect.poll(() => closed).toBe(1);
    expect([accepted, reports]).toEqual([1, []]);
  });

  it('reports an invalid address as its end, later', async () => {
    const ends: SocketEnd[] = [];
    const nothing = () => undefined;
    wsSockets()('nonsense', { onOpen: nothing, onFrame: nothing, onEnd: (end) => ends.push(end) });
    expect(ends).toEqual([]);
    await expect.poll(() => ends).toEqual([{}]);
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
