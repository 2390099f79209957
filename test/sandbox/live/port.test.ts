// The real-time interface on a port: other programs and web pages can reach it, and none may disturb a test.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { exchangeBytes, rawConnection, statusesIn } from '../../support/raw-client.js';

const ping = '{"id":1,"method":"ping","params":[]}';

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
  return new Promise((resolve) => {
    socket.on('open', () => {
      resolve(socket);
    });
    socket.on('error', ({ message }) => {
      resolve(message);
    });
  });
}

async function connected(options?: ClientOptions): Promise<WebSocket> {
  const socket = await connect(options);
  if (typeof socket === 'string') throw new Error(socket);
  return socket;
}

async function codeOf(socket: WebSocket): Promise<unknown> {
  const [code] = (await once(socket, 'close')) as unknown[];
  return code;
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
    const socket = await connected({ perMessageDeflate: true });
    expect(socket.extensions).toBe('');
  });

  it('without a key is rejected', async () => {
    const bytes = 'GET /ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    expect(statusesIn(await exchangeBytes(server.port, bytes))).toEqual([400]);
  });

  it('can be followed by a frame at once', async () => {
    const connection = await rawConnection(server.port);
    const { socket } = connection;
    const key = Buffer.alloc(16).toString('base64');
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = ['GET /ws HTTP/1.1', 'host: 127.0.0.1', 'connection: upgrade', 'upgrade: websocket'];
    const frame = Buffer.concat([Buffer.from([0x81, 0x80 + ping.length, 0, 0, 0, 0]), Buffer.from(ping)]);
    const upgrade = [...head, 'sec-websocket-version: 13', `sec-websocket-key: ${key}`, '', ''].join('\r\n');
    socket.write(Buffer.concat([Buffer.from(upgrade), frame]));
    const received = await connection.until(/pong/);
    expect(received).toContain(`Sec-WebSocket-Accept: ${accept}`);
    expect(received).toContain('{"error": null, "result": "pong", "id": 1}');
    socket.destroy();
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

  it.each([
    ['a message above 64 KiB', ping.padEnd(65_537)],
    ['a binary message', Buffer.from(ping)],
  ])('that sends %s is disconnected without a close frame', async (_, message) => {
    const socket = await connected();
    socket.send(message);
    expect(await codeOf(socket)).toBe(1006);
    expect(sandbox.ledger.live.openConnections).toBe(0);
  });

  it('may send a message of 64 KiB', async () => {
    const socket = await connected();
    socket.send(ping.padEnd(65_536));
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(data.toString()).toContain('pong');
  });

  it('that reads nothing is disconnected before it fills the memory', async () => {
    const socket = await connected();
    socket.send('{"id":1,"method":"market_subscribe","params":["BTC_USDT"]}');
    await once(socket, 'message');
    socket.pause();
    sandbox.liveFault({ kind: 'huge', times: 5 });
    sandbox.clock.advance(5000);
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

describe('a message that is too long in process', () => {
  it('ends the connection, too', async () => {
    const socket = new sandbox.WebSocket('wss://exchange.sandbox.test/ws');
    const closed = new Promise((resolve) => {
      socket.onclose = resolve;
    });
    socket.onopen = () => {
      socket.send(ping.padEnd(65_537));
    };
    expect(await closed).toMatchObject({ code: 1006 });
  });
});
