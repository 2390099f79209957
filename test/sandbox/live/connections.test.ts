// Connections of the real-time interface: how they open and end, and what the ledger has of them.
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { doorNames, doors } from './doors.js';

const ping = { id: 1, method: 'ping', params: [] };
const pong = { id: 1, result: 'pong', error: null };
const longPing = (bytes: number) => JSON.stringify(ping).padEnd(bytes);
const nesting = (open: string, close: string) => `{"id":1,"method":"ping","params":[${open}${close}]}`;
const improper = [
  'ping',
  '{"id":1,"method":"ping","params":[]',
  'null',
  '[]',
  '{"id":1.5,"method":"ping","params":[]}',
  '{"id":"1","method":"ping","params":[]}',
  '{"id":1,"method":7,"params":[]}',
  '{"id":1,"method":"ping","params":{}}',
  '{"id":1,"method":"ping"}',
  '{"method":"ping","params":[]}',
];
const depth = (market: string) => ({ id: 2, method: 'depth_subscribe', params: [market, 5, '0', true] });

describe.each(doorNames)('a connection %s', (door) => {
  it('ends without a close frame 60 s after the last message of the client', async () => {
    const { sandbox, connect } = await doors[door]();
    const client = await connect();
    sandbox.clock.advance(59_000);
    client.send(ping);
    expect(await client.next()).toEqual(pong);
    sandbox.clock.advance(60_000);
    client.send(ping);
    expect(await client.next()).toEqual(pong);
    sandbox.clock.advance(60_100);
    expect(await client.ended).toMatchObject({ code: 1006, reason: '' });
    expect(sandbox.ledger.live.openConnections).toBe(0);
  });

  it.each([
    ...improper.map((text) => [text, text]),
    ['above 64 KiB', longPing(65_537)],
    ['of lists in lists', nesting('['.repeat(7000), ']'.repeat(7000))],
    ['of objects in objects', nesting('{"a":'.repeat(7000) + '1', '}'.repeat(7000))],
    ['of more than 16 levels', nesting('['.repeat(15), ']'.repeat(15))],
  ])('ends without a close frame after the improper request %s', async (_, text) => {
    const { sandbox, connect } = await doors[door]();
    const client = await connect();
    client.send(text);
    expect(await client.ended).toMatchObject({ code: 1006 });
    expect(await client.rest()).toEqual([]);
    expect(sandbox.ledger.live).toMatchObject({ openConnections: 0, requests: [] });
  });

  it.each([
    ['64 KiB', longPing(65_536)],
    ['16 levels', nesting('['.repeat(14), ']'.repeat(14))],
  ])('gets the response to a request of %s', async (_, text) => {
    const { connect } = await doors[door]();
    const client = await connect();
    client.send(text);
    expect(await client.next()).toEqual(pong);
  });

  it('that the client closes ends without a close frame of the exchange', async () => {
    const { sandbox, connect } = await doors[door]();
    const client = await connect();
    client.close();
    expect(await client.ended).toMatchObject({ code: 1006 });
    await expect.poll(() => sandbox.ledger.live.openConnections).toBe(0);
  });

  it('is in the ledger with its requests and the values that it got', async () => {
    const { sandbox, connect } = await doors[door]();
    const [one, other] = [await connect(), await connect()];
    one.send(depth('BTC_USDT'));
    await one.next();
    sandbox.clock.advance(1000);
    other.send(depth('NO_SUCH'));
    await other.next();
    other.close();
    await other.ended;
    await expect.poll(() => sandbox.ledger.live.openConnections).toBe(1);
    const at = Date.UTC(2026, 0, 1);
    expect(sandbox.ledger.live).toMatchObject({
      openConnections: 1,
      maxOpenConnections: 2,
      connectionCount: 2,
      requests: [
        { at, connection: 1, method: 'depth_subscribe', params: ['BTC_USDT', 5, '0', true] },
        { at: at + 1000, connection: 2, method: 'depth_subscribe', params: ['NO_SUCH', 5, '0', true], code: 9 },
      ],
      pushes: { depth: 1 },
    });
  });

  it('has long methods cut and long parameters left out in the ledger', async () => {
    const { sandbox, connect } = await doors[door]();
    const client = await connect();
    client.send({ id: 1, method: 'x'.repeat(1000), params: ['y'.repeat(20_000)] });
    await client.next();
    expect(sandbox.ledger.live.requests).toMatchObject([{ method: `${'x'.repeat(255)}…`, params: undefined, code: 4 }]);
  });

  it('is cut by a fault only where it is subscribed', async () => {
    const { sandbox, connect } = await doors[door]();
    const client = await connect();
    sandbox.liveFault({ kind: 'cut', channel: 'depth', market: 'BTC_USDT' });
    client.send(ping);
    expect(await client.next()).toEqual(pong);
    expect(() => {
      sandbox.assertNoPendingFaults();
    }).toThrow('cut at depth of BTC_USDT (1 of 1 remaining)');
    client.send(depth('BTC_USDT'));
    expect(await client.ended).toMatchObject({ code: 1006 });
    expect(sandbox.pendingFaults()).toEqual([]);
  });
});

describe('a connection in process', () => {
  it('gets code 7 beyond the limit of requests, and is limited on its own', async () => {
    const { sandbox, connect } = await doors['in process']();
    const [client, other] = [await connect(), await connect()];
    for (let count = 0; count < 12_001; count += 1) client.send(ping);
    other.send(ping);
    expect((await client.rest()).slice(11_999)).toEqual([
      pong,
      { id: 1, result: null, error: { code: 7, message: 'too many requests' } },
    ]);
    expect(await other.next()).toEqual(pong);
    sandbox.clock.advance(10_000);
    client.send(ping);
    expect(await client.next()).toEqual(pong);
  });

  it('is refused beyond the limit of new connections, and during a maintenance', async () => {
    const { sandbox, connect } = await doors['in process']();
    for (let count = 0; count < 1000; count += 1) (await connect()).close();
    await expect(connect()).rejects.toThrow('failed');
    sandbox.clock.advance(60_000);
    sandbox.setMaintenance(true);
    await expect(connect()).rejects.toThrow('failed');
    expect(sandbox.ledger.live.connectionCount).toBe(1000);
  });

  it('delivers nothing while its constructor or send is running, and everything in microtasks', async () => {
    const socket = new (createSandbox().WebSocket)('wss://exchange.sandbox.test/ws');
    const events: unknown[] = [];
    socket.addEventListener('open', () => events.push('open'));
    socket.addEventListener('message', ({ data }) => events.push(data));
    socket.addEventListener('close', ({ code }) => events.push(code));
    expect(() => {
      socket.send('early');
    }).toThrow('not open yet');
    expect(events).toEqual([]);
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
    expect(events).toEqual(['open']);
    socket.send(JSON.stringify(ping));
    expect(events).toEqual(['open']);
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
    expect(events.slice(1)).toEqual(['{"error": null, "result": "pong", "id": 1}']);
    socket.close();
    socket.send('late');
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
    expect(events.slice(2)).toEqual([1006]);
  });

  it.each(['wss://exchange.sandbox.test/other', 'ws://exchange.sandbox.test/ws', 'wss://other.test/ws'])(
    'to %s fails',
    async (address) => {
      const sandbox = createSandbox();
      const socket = new sandbox.WebSocket(address);
      const events: string[] = [];
      socket.addEventListener('error', ({ type }) => events.push(type));
      await new Promise<void>((resolve) => {
        socket.addEventListener('close', ({ type, code }) => {
          events.push(`${type} ${code}`);
          resolve();
        });
      });
      expect(events).toEqual(['error', 'close 1006']);
      expect(sandbox.ledger.live.connectionCount).toBe(0);
    },
  );
});
