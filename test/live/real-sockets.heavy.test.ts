// The live connection over real sockets: peers that are silent, refuse, hang or flood.
import { createExchange } from 'exchange-rx';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { filter, firstValueFrom } from 'rxjs';
import { describe, it, type TestContext } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { start } from '../support/children.js';
import { listening } from '../support/ports.js';

const market = 'BTC_USDT';

interface Request {
  readonly id: number;
  readonly method: string;
}

function portOf(server: Server, { onTestFinished }: TestContext): Promise<number> {
  onTestFinished(() => {
    server.close();
  });
  return listening(server);
}

/** A server of `ws` that confirms every request, and what it has received. */
async function serve(
  context: TestContext,
  onSubscribe: (socket: WebSocket, request: Request) => void = () => undefined,
) {
  const http = createHttpServer((_, response) => response.writeHead(404).end());
  const server = new WebSocketServer({ server: http });
  const sockets: WebSocket[] = [];
  const methods: string[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const request = JSON.parse(data.toString()) as Request;
      methods.push(request.method);
      const result = request.method === 'ping' ? 'pong' : { status: 'success' };
      socket.send(JSON.stringify({ id: request.id, result, error: null }));
      onSubscribe(socket, request);
    });
  });
  context.onTestFinished(() => {
    for (const socket of sockets) socket.terminate();
  });
  return { port: await portOf(http, context), sockets, methods };
}

const client = (port: number) => createExchange({ baseUrl: `http://127.0.0.1:${port}` });

function push(socket: WebSocket | undefined, method: string, params: unknown): void {
  socket?.send(JSON.stringify({ id: null, method, params }));
}

const book = (updateId: number) => ({ update_id: updateId, asks: [['101', '1']], bids: [['100', '1']] });

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('a live connection over real sockets', { concurrent: true, timeout: 90_000 }, () => {
  it('has a stale book within 2 s after its process was stopped for 15 s', async (context) => {
    const { port, sockets } = await serve(context, (socket, { method }) => {
      if (method === 'depth_subscribe') push(socket, 'depth_update', [true, book(9 + sockets.length), market]);
    });
    const child = start(new URL('suspension-program.ts', import.meta.url), { port });
    context.onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    const seen: string[] = [];
    child.process.on('message', (message: { readonly book: string }) => seen.push(message.book));
    await context.expect.poll(() => seen, { timeout: 30_000 }).toEqual(['live 10']);
    child.process.kill('SIGSTOP');
    await sleep(15_000);
    child.process.kill('SIGCONT');
    await context.expect.poll(() => seen.slice(1, 2), { timeout: 2000 }).toEqual(['stale 10']);
    await context.expect.poll(() => seen.slice(2), { timeout: 5000 }).toEqual(['live 11']);
  });

  it('has one socket at a time with a peer that never upgrades, and leaves none', async (context) => {
    let open = 0;
    let most = 0;
    const server = createServer((socket) => {
      open += 1;
      most = Math.max(most, open);
      socket.on('error', () => undefined).resume();
      socket.on('close', () => {
        open -= 1;
      });
    });
    const { live } = createExchange({
      baseUrl: `http://127.0.0.1:${await portOf(server, context)}`,
      // The list of markets needs no socket of the peer.
      fetch: () => Promise.resolve(new Response('{}', { status: 404 })),
    });
    const prices = live.lastPrice({ markets: [market] }).subscribe();
    // A handshake has 10 s.
    await sleep(12_000);
    prices.unsubscribe();
    await sleep(500);
    context.expect([most, open]).toEqual([1, 0]);
  });

  it('goes on after a frame that is cut in two, and on another connection after one that is binary or too large', async (context) => {
    const { expect } = context;
    const { port, sockets } = await serve(context);
    const { live } = client(port);
    const seen: string[] = [];
    const prices = live
      .lastPrice({ markets: [market] })
      .subscribe(({ price, status }) => seen.push(`${price} ${status}`));
    const connected = (wanted: number) =>
      firstValueFrom(live.state$.pipe(filter((state) => state.status === 'open' && state.generation === wanted)));
    await connected(1);
    await sleep(500);
    const frame = JSON.stringify({ id: null, method: 'lastprice_update', params: [market, '7'] });
    sockets[0]?.send(frame.slice(0, 20), { fin: false });
    sockets[0]?.send(frame.slice(20), { fin: true });
    await sleep(500);
    expect(seen).toEqual(['7 live']);
    const unreadable = [Buffer.alloc(100), 'x'.repeat(9 * 1024 * 1024)];
    for (const [index, data] of unreadable.entries()) {
      sockets[index]?.send(data);
      await connected(index + 2);
      await sleep(500);
      push(sockets[index + 1], 'lastprice_update', [market, String(index + 8)]);
      await sleep(500);
    }
    prices.unsubscribe();
    expect(seen).toEqual(['7 live', '7 stale', '8 live', '8 stale', '9 live']);
  });
});

describe('a live connection of a process that is blocked', { timeout: 90_000 }, () => {
  it('loses none of 10,000 changes that come while a subscriber blocks for 5 s, and is not replaced', async (context) => {
    const { expect } = context;
    const { port, sockets } = await serve(context, (socket, { method }) => {
      if (method === 'depth_subscribe') push(socket, 'depth_update', [true, book(1), market]);
    });
    const { live } = client(port);
    const seen: string[] = [];
    const books = live.orderBook({ market }).subscribe(({ status, updateId }) => seen.push(`${status} ${updateId}`));
    await sleep(1000);
    for (let id = 2; id <= 10_001; id += 1) {
      const change = { update_id: id, past_update_id: id - 1, bids: [['99', String(id)]] };
      push(sockets[0], 'depth_update', [false, change, market]);
    }
    await sleep(5);
    block(5000);
    await sleep(4000);
    books.unsubscribe();
    expect(seen.length).toBe(10_001);
    expect(seen.at(-1)).toBe('live 10001');
    expect(sockets).toHaveLength(1);
  });

  it('still pings when each turn of its event loop takes more than a second', async (context) => {
    const { port, methods, sockets } = await serve(context);
    const { live } = client(port);
    const prices = live.lastPrice({ markets: [market] }).subscribe();
    await sleep(500);
    for (let turn = 0; turn < 8; turn += 1) {
      block(2200);
      await sleep(5);
    }
    await sleep(100);
    prices.unsubscribe();
    context.expect(methods.filter((method) => method === 'ping').length).toBeGreaterThan(0);
    context.expect(sockets).toHaveLength(1);
  });
});
