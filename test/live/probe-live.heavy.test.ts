// `npm run probe:live`: its table says what the options of a sandbox say, and that it does not know what it has not seen.
import { createSandbox, type Sandbox, type SandboxLiveOptions } from 'exchange-rx/sandbox';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Probe } from '../../scripts/probe-live/fact.js';
import { conformanceTable, defaultProbe, probeLive, type Found } from '../../scripts/probe-live/probe.js';

/** As short as the intervals of the sandbox allow. */
const probe: Probe = { ...defaultProbe, atOnceMs: 150, pushMs: 2600, depthMs: 3000, keepaliveMs: 6000 };

const findings = (found: readonly Found[]) => Object.fromEntries(found.map(({ name, seen }) => [name, seen]));

/** What is found at a sandbox with these options, two of whose markets change all the time. */
async function foundAt(
  live: SandboxLiveOptions,
): Promise<{ readonly found: readonly Found[]; readonly sandbox: Sandbox }> {
  const sandbox = createSandbox({ volatility: 0, live });
  const server = await sandbox.listen();
  let step = 0;
  const moves = setInterval(() => {
    step += 1;
    sandbox.market('BTC_USDT').setPrice(String(60_000 + step));
    sandbox.market('ETH_USDT').setPrice(String(3000 + step));
  }, 50);
  try {
    return { found: await probeLive(`ws://127.0.0.1:${server.port}/ws`, probe), sandbox };
  } finally {
    clearInterval(moves);
    await server.close();
  }
}

describe('the probe at a sandbox', () => {
  it('finds the defaults, with at most 50 requests on 5 connections', async () => {
    const { found, sandbox } = await foundAt({ keepaliveMs: 2000 });
    expect(findings(found)).toEqual({
      'bookTicker: a second market': 'add',
      'lastprice: the value comes with the confirmation': 'yes',
      'market: the value comes with the confirmation': 'yes',
      'market: values come when nothing has changed': 'yes',
      'market: a refused list leaves of the subscription': 'whole',
      'trades: a market without trades gets an empty push': 'unknown',
      'trades: two markets have an id in common': 'no',
      'trades: trades_request with an id has the trades': 'until',
      'depth: the first push comes before or after the confirmation': 'after',
      'depth: the same market again, with another limit': 'one stream, of the new limit',
      'depth: without the fourth parameter, the other markets are': 'replace',
      'depth: depth_unsubscribe with one market ends': 'that market',
      'depth: a snapshot without a change comes after': expect.stringMatching(/^(?:1\.9|[2-5]\.\d) s$/) as string,
      'ping: the pong has the id of its ping': 'yes',
      'ping of the protocol: the pong has the payload': 'no',
      'text that is not JSON closes the connection with': '1006',
    });
    expect(sandbox.ledger.live.requests.length).toBeLessThanOrEqual(50);
    expect(sandbox.ledger.live.connectionCount).toBeLessThanOrEqual(5);
  });

  it.each([
    ['partial', 0],
    ['empty', 1],
  ] as const)('finds the other behavior, and a refused list that leaves it %s', async (refusedList, unkindSeed) => {
    const { found } = await foundAt({ keepaliveMs: 300, unkindSeed });
    expect(findings(found)).toMatchObject({
      'bookTicker: a second market': 'replace',
      'lastprice: the value comes with the confirmation': 'no',
      'market: the value comes with the confirmation': 'no',
      'market: a refused list leaves of the subscription': refusedList,
      'trades: trades_request with an id has the trades': 'after',
      'depth: the first push comes before or after the confirmation': 'before',
      'depth: without the fourth parameter, the other markets are': 'add',
      'depth: a snapshot without a change comes after': expect.stringMatching(/^(?:0\.\d|1\.[0-8]) s$/) as string,
    });
  });
});

const servers: WebSocketServer[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

/** An exchange written by hand, on a port; returns its address. */
async function serve(onConnection: (socket: WebSocket) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  server.on('connection', onConnection);
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
}

/** Sends a response, and pushes, for each request; nothing for other text. */
function respond(socket: WebSocket, responseTo: (method: string, market: unknown) => readonly object[]): void {
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (!text.startsWith('{')) return;
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] };
    for (const message of responseTo(method, params[0])) socket.send(JSON.stringify({ id, ...message }));
  });
}

const short: Probe = { ...probe, responseMs: 500, atOnceMs: 20, pushMs: 50, depthMs: 50, keepaliveMs: 50 };

describe('the probe at an exchange written by hand', () => {
  it('reports refusals, and a connection that stays open after text that is not JSON', async () => {
    const url = await serve((socket) => {
      respond(socket, () => [{ result: null, error: { code: 1, message: 'invalid argument' } }]);
    });
    const found = await probeLive(url, short);
    expect(findings(found)).toMatchObject({
      'bookTicker: a second market': 'unknown',
      'ping: the pong has the id of its ping': 'unknown',
      'ping of the protocol: the pong has the payload': 'yes',
      'text that is not JSON closes the connection with': 'no close',
    });
    expect(found.find(({ name }) => name.startsWith('bookTicker'))?.because).toContain('code 1 (invalid argument)');
  });

  it('knows nothing of channels that confirm and stay silent', async () => {
    const url = await serve((socket) => {
      respond(socket, (method) => [
        { result: method.endsWith('_request') ? [] : { status: 'success' }, error: null },
        ...(method === 'trades_subscribe' ? [{ id: null, method: 'trades_update', params: ['LTC_USDT', []] }] : []),
      ]);
    });
    expect(findings(await probeLive(url, short))).toMatchObject({
      'bookTicker: a second market': 'unknown',
      'lastprice: the value comes with the confirmation': 'no',
      'market: values come when nothing has changed': 'no',
      'market: a refused list leaves of the subscription': 'accepted',
      'trades: a market without trades gets an empty push': 'yes',
      'trades: two markets have an id in common': 'unknown',
      'trades: trades_request with an id has the trades': 'unknown',
      'depth: the first push comes before or after the confirmation': 'unknown',
      'depth: the same market again, with another limit': 'no wider snapshot',
      'depth: a snapshot without a change comes after': 'unknown',
    });
  });

  it('writes names and messages of the exchange on one line, without control characters', () => {
    const found = [{ name: 'a fact', seen: 'yes', because: 'code 1 (\u001b[2J\nno)' }];
    const { value } = conformanceTable(found);
    expect(value.split('\n')).toHaveLength(2);
    expect(value).not.toContain('\u001b');
  });
});

describe('npm run probe:live', () => {
  const run = async (url: string) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/probe-live.ts', url]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  };

  it('exits with 1 when there is no connection', async () => {
    const { code, output } = await run('ws://127.0.0.1:9/ws');
    expect(code).toBe(1);
    expect(output).toContain('ECONNREFUSED');
  });

  it('prints a row for each fact and exits with 0, although the exchange ends every connection', async () => {
    const url = await serve((socket) => {
      socket.close();
    });
    const { code, output } = await run(url);
    expect(code).toBe(0);
    expect(output).toMatch(/^fact +live +because/m);
    expect(output.match(/the connection has ended/g)?.length).toBeGreaterThan(5);
  });
});
