// The faults of the real-time interface: what a client gets of each kind.
import { createSandbox, liveFaultKinds } from 'exchange-rx/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { exchangeBytes } from '../../support/raw-client.js';
import { doorNames, doors, thinMarkets as markets, type Client, type Frame, type World } from './doors.js';

const market = 'BTC_USDT';
const ping = { id: 1, method: 'ping', params: [] };
const pong = { id: 1, result: 'pong', error: null };
const success = { id: 2, result: { status: 'success' }, error: null };
const subscribe = (channel: string, params: readonly unknown[]) => ({ id: 2, method: `${channel}_subscribe`, params });
const depth = subscribe('depth', [market, 5, '0', true]);

async function open(door: (typeof doorNames)[number] = 'in process'): Promise<World & { readonly client: Client }> {
  const world = await doors[door]({ markets });
  return { ...world, client: await world.connect() };
}

/** A connection that is subscribed to the book and has its snapshot. */
async function subscribed(door?: (typeof doorNames)[number]) {
  const world = await open(door);
  world.client.send(depth);
  await world.client.rest();
  const move = async (price: number) => {
    world.sandbox.market(market).setPrice(String(price));
    world.sandbox.clock.advance(100);
    return world.client.rest();
  };
  return { ...world, move };
}

const past = ({ params: [, data] }: Frame) => (data as { readonly past_update_id: number }).past_update_id;
const updateId = ({ params: [, data] }: Frame) => (data as { readonly update_id: number }).update_id;

/** The handshake of a client. */
const upgrade = [
  ...['GET /ws HTTP/1.1', 'host: 127.0.0.1', 'connection: upgrade', 'upgrade: websocket'],
  ...['sec-websocket-version: 13', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==', '', ''],
].join('\r\n');

describe('a handshake', () => {
  it.each([
    [{ kind: 'refuse' }, /^$/],
    [{ kind: 'status' }, /^HTTP\/1.1 503 /],
    [{ kind: 'status', status: 429, retryAfterSeconds: 7 }, /^HTTP\/1.1 429 [^]*\r\nretry-after: 7\r\n/i],
    [{ kind: 'status', status: 302 }, /^HTTP\/1.1 302 [^]*\r\nlocation: https:\/\/elsewhere.sandbox.test\/\r\n/i],
    [{ kind: 'status', status: 200 }, /^HTTP\/1.1 200 /],
  ] as const)('on a port meets %j', async (fault, expected) => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    sandbox.liveFault(fault);
    expect(await exchangeBytes(server.port, upgrade)).toMatch(expected);
    sandbox.assertNoPendingFaults();
    expect(sandbox.ledger.live.connectionCount).toBe(0);
    await server.close();
  });

  it.each(['refuse', 'status'] as const)('in process fails, without its status: %s', async (kind) => {
    const { sandbox, connect } = await doors['in process']();
    sandbox.liveFault({ kind });
    await expect(connect()).rejects.toThrow('failed');
    sandbox.assertNoPendingFaults();
  });

  it.each([
    ['in process', 1000, {}],
    ['on a port', 5000, { delayMs: 5000 }],
  ] as const)('%s takes longer: %i ms', async (door, ms, options) => {
    const { sandbox, connect } = await doors[door]();
    sandbox.liveFault({ kind: 'slow-handshake', ...options });
    const slow = connect();
    await expect.poll(() => sandbox.pendingFaults()).toEqual([]);
    sandbox.clock.advance(ms - 1);
    expect(sandbox.ledger.live.connectionCount).toBe(0);
    sandbox.clock.advance(1);
    await slow;
  });
});

describe.each(doorNames)('an open connection %s', (door) => {
  it.each([1000, 1012, 4000])('gets a close frame with the code %i', async (code) => {
    const { sandbox, client } = await open(door);
    sandbox.liveFault({ kind: 'close', code });
    expect(await client.ended).toMatchObject({ code });
    expect(sandbox.ledger.live.openConnections).toBe(0);
  });

  it('is half open: nothing comes, nothing goes, and it does not end', async () => {
    const { sandbox, client } = await subscribed(door);
    sandbox.liveFault({ kind: 'half-open' });
    client.send(ping);
    sandbox.clock.advance(61_000);
    expect(await client.rest()).toEqual([]);
    expect(sandbox.ledger.live.requests).toHaveLength(1);
    expect(sandbox.ledger.live.openConnections).toBe(0);
    expect(await Promise.race([client.ended, Promise.resolve('open')])).toBe('open');
  });

  it('is mute: requests get responses, and no values come', async () => {
    const { sandbox, client, move } = await subscribed(door);
    sandbox.liveFault({ kind: 'mute' });
    expect(await move(61_000)).toEqual([]);
    client.send(ping);
    expect(await client.next()).toEqual(pong);
  });

  it('is mute for one market of a channel only', async () => {
    const { sandbox, client, move } = await subscribed(door);
    client.send(subscribe('depth', ['ETH_USDT', 5, '0', true]));
    await client.rest();
    sandbox.liveFault({ kind: 'mute', channel: 'depth', market });
    sandbox.market('ETH_USDT').setPrice('3100');
    expect((await move(61_000)).map(({ params }) => params[2])).toEqual(['ETH_USDT']);
  });

  it('meets a fault of its market, whatever the channel', async () => {
    const { sandbox, client, connect } = await subscribed(door);
    const other = await connect();
    other.send(subscribe('trades', ['ETH_USDT']));
    await other.rest();
    sandbox.liveFault({ kind: 'close', market: 'ETH_USDT', code: 4000 });
    expect(await other.ended).toMatchObject({ code: 4000 });
    client.send(ping);
    expect(await client.next()).toEqual(pong);
  });
});

describe('a request', () => {
  it.each([
    ['no-response', depth, [{ method: 'depth_update' }]],
    ['refuse-request', depth, [{ id: 2, result: null, error: { code: 2 } }]],
  ] as const)('meets %s', async (kind, request, expected) => {
    const { sandbox, client } = await open();
    sandbox.liveFault({ kind });
    client.send(request);
    const frames = await client.rest();
    expect(frames).toMatchObject(expected);
    expect(frames).toHaveLength(expected.length);
    sandbox.assertNoPendingFaults();
    expect(sandbox.ledger.live.requests).toHaveLength(1);
    client.send({ ...request, id: 3 });
    expect(await client.next()).toMatchObject({ id: 3, error: null });
  });

  it('gets its response later', async () => {
    const { sandbox, client } = await open();
    sandbox.liveFault({ kind: 'late-response', delayMs: 3000 });
    client.send(depth);
    expect(await client.rest()).toMatchObject([{ method: 'depth_update' }]);
    sandbox.clock.advance(2999);
    expect(await client.rest()).toEqual([]);
    sandbox.clock.advance(1);
    expect(await client.rest()).toEqual([success]);
  });

  it('without a response is executed, unless the fault says otherwise', async () => {
    const { sandbox, client } = await open();
    sandbox.liveFault({ kind: 'no-response', executed: false, channel: 'depth' });
    client.send(depth);
    expect(await client.rest()).toEqual([]);
    expect(sandbox.ledger.live.requests).toMatchObject([{ method: 'depth_subscribe', fault: 'no-response' }]);
  });

  it('is refused with any code, and leaves the list as it was', async () => {
    const { sandbox, client } = await open();
    client.send(subscribe('market', ['ETH_USDT']));
    await client.rest();
    sandbox.liveFault({ kind: 'refuse-request', code: 7, channel: 'market', market });
    client.send(subscribe('market', [market, 'ETH_USDT']));
    expect(await client.rest()).toMatchObject([{ id: 2, error: { code: 7 } }]);
    expect(sandbox.ledger.live.requests.at(-1)).toMatchObject({ code: 7, fault: 'refuse-request' });
    sandbox.clock.advance(1000);
    expect((await client.rest()).map(({ params }) => params[0])).toEqual(['ETH_USDT']);
  });

  it('to another channel or of another market does not meet the fault, nor does a ping that it does not name', async () => {
    const { sandbox, client } = await open();
    sandbox.liveFault({ kind: 'no-response', channel: 'ping' });
    client.send(ping);
    expect(await client.rest()).toEqual([]);
    sandbox.liveFault({ kind: 'refuse-request' });
    client.send(ping);
    expect(await client.rest()).toEqual([pong]);
    client.send(depth);
    expect(await client.next()).toMatchObject({ error: { code: 2 } });
    sandbox.liveFault({ kind: 'no-response', channel: 'trades' });
    sandbox.liveFault({ kind: 'no-response', market: 'ETH_USDT' });
    client.send(depth);
    expect(await client.next()).toEqual(success);
    expect(sandbox.pendingFaults()).toHaveLength(2);
  });
});

describe('a message', () => {
  it('is lost, and the next one shows it', async () => {
    const { sandbox, move } = await subscribed();
    sandbox.liveFault({ kind: 'drop', channel: 'depth' });
    const [before] = await move(60_100);
    expect(before).toBeUndefined();
    const [after] = await move(60_200);
    expect(after && sandbox.ledger.live.bookAt(market, past(after))).toBeDefined();
    sandbox.assertNoPendingFaults();
  });

  it('comes twice', async () => {
    const { sandbox, move } = await subscribed();
    sandbox.liveFault({ kind: 'duplicate' });
    const [one, other, ...none] = await move(60_100);
    expect([one, none]).toEqual([other, []]);
  });

  it('comes after the next one', async () => {
    const { sandbox, move } = await subscribed();
    sandbox.liveFault({ kind: 'reorder' });
    expect(await move(60_100)).toEqual([]);
    const [late, early] = await move(60_200);
    expect(late && early && past(late)).toBe(early && updateId(early));
  });

  it('is cut off', async () => {
    const { sandbox, move } = await subscribed();
    sandbox.liveFault({ kind: 'corrupt' });
    expect(await move(60_100)).toEqual([expect.stringMatching(/^\{"method": "depth_update"[^}]*$/)]);
  });

  it('comes later', async () => {
    const { sandbox, client, move } = await subscribed();
    sandbox.liveFault({ kind: 'delay', delayMs: 450 });
    expect(await move(60_100)).toEqual([]);
    sandbox.clock.advance(449);
    expect(await client.rest()).toEqual([]);
    sandbox.clock.advance(1);
    expect(await client.rest()).toHaveLength(1);
  });
});

it('random faults of the default kinds meet handshakes, requests and messages', async () => {
  const { sandbox, connect } = await doors['in process']({ markets, volatility: 0.001 });
  sandbox.randomLiveFaults({ share: 1, kinds: ['status'] });
  await expect(connect()).rejects.toThrow('failed');
  sandbox.randomLiveFaults({ share: 0.2 });
  for (let count = 0; count < 40; count += 1) {
    const waited = delay(20).then(() => undefined);
    const client = await Promise.race([connect().catch(() => undefined), waited]);
    client?.send(depth);
    client?.send(ping);
    await client?.rest();
    sandbox.clock.advance(1000);
  }
  sandbox.randomLiveFaults(undefined);
  const faults = new Set(sandbox.ledger.live.requests.map(({ fault }) => fault));
  expect(faults.size).toBeGreaterThan(4);
  expect([...faults].every((kind) => kind === undefined || liveFaultKinds.includes(kind))).toBe(true);
  const client = await connect();
  client.send(ping);
  expect(await client.rest()).toEqual([pong]);
});
