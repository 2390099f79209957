// The real-time interface on a port: other programs and web pages can reach it, and none may disturb a test.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { createState } from '../../../src/sandbox/create-state.js';
import { listenOn } from '../../../src/sandbox/port/listen.js';
import { exchangeBytes, rawConnection, statusesIn } from '../../support/raw-client.js';

const ping = '{"id":1,"method":"ping","params":[]}';
const subscription = '{"id":2,"method":"depth_subscribe","params":["BTC_USDT",5,"0",true]}';

let sandbox: Sandbox;
let server: SandboxServer;
beforeEach(async () => {
  sandbox = createSandbox({ clock: 'manual', volatility: 0 });
  server = await sandbox.listen({ allowedOrigins: ['http://localhost:5173'] });
});
afterEach(async () => {
  await server.close();
});

/** A client that has its open connection, or has failed with a message. */
async function connect(options: ClientOptions = {}, path = '/ws'): Promise<WebSocket | string> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, options);
  // A connection that is reset later is not of interest.
  socket.on('error', () => undefined);
  return once(socket, 'open').then(() => socket, String);
}

async function connected(options?: ClientOptions): Promise<WebSocket> {
  const socket = await connect(options);
  if (typeof socket === 'string') throw new Error(socket);
  return socket;
}

/** The next message, as text. */
async function nextOf(socket: WebSocket): Promise<string> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return data.toString();
}

async function codeOf(socket: WebSocket): Promise<unknown> {
  const [code] = (await once(socket, 'close')) as unknown[];
  return code;
}

/** Resolves when the value has not changed for some turns. */
async function isSteady(value: () => number): Promise<void> {
  for (let before = -1; before !== value();) {
    before = value();
    await delay(200);
  }
}

/** Requests an upgrade, and sends a frame of at most 125 bytes, with a mask of zeros, at once after it. */
async function upgradeWithFrame(text: string) {
  const connection = await rawConnection(server.port);
  const key = Buffer.alloc(16).toString('base64');
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const head = ['GET /ws HTTP/1.1', 'host: 127.0.0.1', 'connection: upgrade', 'upgrade: websocket'];
  const upgrade = [...head, 'sec-websocket-version: 13', `sec-websocket-key: ${key}`, '', ''].join('\r\n');
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  connection.socket.write(Buffer.concat([Buffer.from(upgrade), frame]));
  return { ...connection, accept };
}

describe('an upgrade', () => {
  it('of a web page or with another host is rejected, unless its origin is allowed', async () => {
    expect(await connect({ origin: 'http://evil.test' })).toContain('403');
    expect(await connect({ headers: { host: 'evil.test' } })).toContain('403');
    expect(await connect({ headers: { 'sec-fetch-site': 'cross-site' } })).toContain('403');
    expect(sandbox.ledger.live.connectionCount).toBe(0);
    await connected({ origin: 'http://localhost:5173' });
    expect(sandbox.ledger.live.connectionCount).toBe(1);
  });

  it('at another path is an ordinary request', async () => {
    expect(await connect({}, '/other')).toContain('404');
    expect(await connect({}, '/api/v4/public/ping')).toContain('200');
  });

  it('negotiates no compression', async () => {
    expect((await connected({ perMessageDeflate: true })).extensions).toBe('');
  });

  it('without a key is rejected', async () => {
    const bytes = 'GET /ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    expect(statusesIn(await exchangeBytes(server.port, bytes))).toEqual([400]);
  });

  it('can be followed by a frame at once', async () => {
    const connection = await upgradeWithFrame(ping);
    const received = await connection.until(/pong/);
    expect(received).toContain(`Sec-WebSocket-Accept: ${connection.accept}`);
    expect(received).toContain('{"error": null, "result": "pong", "id": 1}');
    connection.socket.destroy();
  });
});

describe('a client', () => {
  it('gets an empty pong for a ping of the protocol, which counts as a message', async () => {
    const socket = await connected();
    sandbox.clock.advance(59_000);
    socket.ping('payload');
    const [payload] = (await once(socket, 'pong')) as [Buffer];
    expect(payload).toHaveLength(0);
    sandbox.clock.advance(59_000);
    expect(sandbox.ledger.live.openConnections).toBe(1);
  });

  it('that sends a binary message is disconnected without a close frame', async () => {
    const socket = await connected();
    socket.send(Buffer.from(ping));
    expect(await codeOf(socket)).toBe(1006);
    expect(sandbox.ledger.live.openConnections).toBe(0);
  });

  it('that reads late gets the response to each of its requests', async () => {
    for (let price = 60_001; price <= 60_100; price += 1) sandbox.market('BTC_USDT').setPrice(String(price));
    const socket = await connected();
    socket.pause();
    // 15 MB of responses: more than the operating system buffers.
    const count = 1500;
    for (let id = 1; id <= count; id += 1)
      socket.send(`{"id":${id},"method":"trades_request","params":["BTC_USDT",100,0]}`);
    await expect.poll(() => sandbox.ledger.live.requests.length).toBeGreaterThan(0);
    await isSteady(() => sandbox.ledger.live.requests.length);
    expect(sandbox.ledger.live.requests.length).toBeLessThan(count);
    let [received, bytes] = [0, 0];
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        received += 1;
        bytes += data.length;
        if (received === count) resolve();
      });
    });
    socket.resume();
    await Promise.race([all, once(socket, 'close')]);
    expect(received).toBe(count);
    expect(bytes).toBeGreaterThan(14_000_000);
  });

  it('that reads nothing is disconnected before it fills the memory', async () => {
    const socket = await connected();
    socket.send('{"id":1,"method":"market_subscribe","params":["BTC_USDT"]}');
    await once(socket, 'message');
    socket.pause();
    for (let count = 0; count < 5; count += 1) sandbox.channel('market').push(['x'.repeat(9 * 1024 * 1024)]);
    await expect.poll(() => sandbox.ledger.live.openConnections).toBe(0);
    socket.terminate();
  });

  it('is disconnected when the port is closed', async () => {
    const other = await sandbox.listen();
    const socket = new WebSocket(`ws://127.0.0.1:${other.port}/ws`);
    await once(socket, 'open');
    const code = codeOf(socket);
    await other.close();
    expect(await code).toBe(1006);
  });
});

it.each(['request', 'tick'])(
  'an exception of a channel at a %s ends the connection that met it, and no other',
  async (moment) => {
    const { clock, live } = createState({ clock: 'manual', volatility: 0 });
    const respond = () => Promise.resolve(new Response());
    const { port, close } = await listenOn({ respond, live: live.server }, {});
    const warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const [socket, other] = [new WebSocket(`ws://127.0.0.1:${port}/ws`), new WebSocket(`ws://127.0.0.1:${port}/ws`)];
    await Promise.all([once(socket, 'open'), once(other, 'open')]);
    if (moment === 'tick') {
      socket.send(subscription);
      await nextOf(socket);
    }
    const broken = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    vi.spyOn(live.exchange, 'market').mockImplementation(broken);
    vi.spyOn(live.exchange.books, 'stateOf').mockImplementation(broken);
    const code = codeOf(socket);
    if (moment === 'request') socket.send(subscription);
    else clock.advance(100);
    expect(await code).toBe(1006);
    expect(warnings).toHaveBeenCalledOnce();
    other.send(ping);
    expect(await nextOf(other)).toContain('pong');
    vi.restoreAllMocks();
    await close();
  },
);
