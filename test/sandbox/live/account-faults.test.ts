// Faults of the private channels: what a client gets of the events of its account, and what REST shows meanwhile.
import type { LiveFaultKind } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doorNames, doors, thinMarkets as markets, type Client, type Frame, type World } from './doors.js';
import { authorized, tokenOf } from './script.js';

const market = 'BTC_USDT';

/** An authorized connection that follows orders and deals of both markets. */
async function following(world: World): Promise<Client> {
  const client = await authorized(world);
  await client.request('deals_subscribe', [[]]);
  await client.request('ordersPending_subscribe', [market, 'ETH_USDT']);
  await client.request('ordersExecuted_subscribe', [[market, 'ETH_USDT'], 0]);
  return client;
}

async function open() {
  const world = await doors['in process']({ markets });
  const client = await following(world);
  const { sandbox } = world;
  /** What a request causes within 100 ms. */
  const after = async (path: string, fields: Readonly<Record<string, unknown>>) => {
    expect((await sendRaw({ sandbox }, path, fields)).status).toBe(200);
    sandbox.clock.advance(100);
    return described(await client.rest());
  };
  return {
    ...{ sandbox, client, after, connect: world.connect },
    takeNow: () => after('/api/v4/order/stock_market', { market, side: 'buy', amount: '0.1' }),
    rest: () => after('/api/v4/order/new', { market, side: 'buy', amount: '1', price: '59990' }),
    /** Fills a part of the resting order. */
    hit: () => after('/api/v4/order/stock_market', { market, side: 'sell', amount: '0.2' }),
  };
}

/** Each message by its channel; of ordersPending with the event. */
function described(frames: readonly Frame[]): string[] {
  return frames.map(({ method = 'response', params }) => {
    const channel = method.replace('_update', '');
    return channel === 'ordersPending' ? `${channel} ${String(params[0])}` : channel;
  });
}

const atOnce = ['deals', 'ordersPending 3', 'ordersExecuted'];
const deals = async ({ sandbox }: Pick<World, 'sandbox'>) =>
  (await sendRaw({ sandbox }, '/api/v4/trade-account/executed-history', { market })).body as unknown[];
const history = async ({ sandbox }: Pick<World, 'sandbox'>) => {
  const { body } = await sendRaw({ sandbox }, '/api/v4/trade-account/order/history', { market });
  return Object.values(body as Record<string, unknown[]>).flat();
};

describe('an event of an account', () => {
  it.each([
    [{}, ['ordersPending 3', 'ordersExecuted']],
    [{ channel: 'deals' }, ['ordersPending 3', 'ordersExecuted']],
    [{ channel: 'ordersPending' }, ['deals', 'ordersExecuted']],
    [{ channel: 'ordersExecuted', market }, ['deals', 'ordersPending 3']],
  ] as const)('is never sent: silent-loss %j', async (restriction, expected) => {
    const { sandbox, client, takeNow } = await open();
    sandbox.liveFault({ kind: 'silent-loss', ...restriction });
    expect(await takeNow()).toEqual(expected);
    sandbox.assertNoPendingFaults();
    sandbox.clock.advance(30_000);
    expect(await client.rest()).toEqual([]);
    expect(await takeNow()).toEqual(atOnce);
  });

  it('that is lost is in the ledger and over REST', async () => {
    const { sandbox, rest } = await open();
    sandbox.liveFault({ kind: 'silent-loss' });
    expect(await rest()).toEqual([]);
    expect(sandbox.ledger.live.orderEvents).toMatchObject([{ event: 1, order: { left: '1' } }]);
    expect((await sendRaw({ sandbox }, '/api/v4/orders', { market })).body).toHaveLength(1);
  });

  it('is lost on every connection of the account', async () => {
    const world = await doors['in process']({ markets });
    const { sandbox } = world;
    const clients = [await following(world), await following(world)];
    sandbox.liveFault({ kind: 'silent-loss', channel: 'deals' });
    await sendRaw({ sandbox }, '/api/v4/order/stock_market', { market, side: 'buy', amount: '0.1' });
    sandbox.clock.advance(100);
    for (const client of clients) expect(described(await client.rest())).toEqual(atOnce.slice(1));
  });

  it('of another market, or that no connection follows, does not meet a fault', async () => {
    const { sandbox, client, takeNow } = await open();
    sandbox.liveFault({ kind: 'silent-loss', market: 'ETH_USDT' });
    expect(await takeNow()).toEqual(atOnce);
    await client.request('deals_unsubscribe', []);
    sandbox.liveFault({ kind: 'silent-loss', channel: 'deals' });
    expect(await takeNow()).toEqual(atOnce.slice(1));
    expect(sandbox.pendingFaults()).toHaveLength(2);
  });

  it('comes twice, or later than over REST', async () => {
    const { sandbox, client, takeNow } = await open();
    sandbox.liveFault({ kind: 'duplicate', channel: 'deals' });
    expect(await takeNow()).toEqual(['deals', ...atOnce]);
    sandbox.liveFault({ kind: 'delay', channel: 'deals', delayMs: 3000 });
    expect(await takeNow()).toEqual(atOnce.slice(1));
    expect(await deals({ sandbox })).toHaveLength(2);
    sandbox.clock.advance(3000);
    expect(described(await client.rest())).toEqual(['deals']);
  });

  it('is a partial fill that only the next event shows: collapse', async () => {
    const { sandbox, rest, hit } = await open();
    expect(await rest()).toEqual(['ordersPending 1']);
    // Taker and maker have one deal each.
    const both = ['deals', 'deals', 'ordersPending 2', 'ordersPending 3', 'ordersExecuted'];
    expect(await hit()).toEqual(both);
    sandbox.liveFault({ kind: 'collapse' });
    expect(await hit()).toEqual(both.filter((one) => one !== 'ordersPending 2'));
    expect(await hit()).toEqual(both);
    expect(sandbox.ledger.live.orderEvents.filter(({ event }) => event === 2).map(({ order }) => order.left)).toEqual([
      ...['0.8', '0.6', '0.4'],
    ]);
  });

  it('is a deal after the event of its order: order-before-deal', async () => {
    const { sandbox, takeNow, rest, hit } = await open();
    sandbox.liveFault({ kind: 'order-before-deal' });
    expect(await takeNow()).toEqual(['ordersPending 3', 'ordersExecuted', 'deals']);
    await rest();
    sandbox.liveFault({ kind: 'order-before-deal', times: 2 });
    expect(await hit()).toEqual(['ordersPending 2', 'deals', 'ordersPending 3', 'ordersExecuted', 'deals']);
    sandbox.assertNoPendingFaults();
  });

  it('is missing from the deals or from the order history for a while: history-lag', async () => {
    const { sandbox, client, takeNow } = await open();
    sandbox.liveFault({ kind: 'history-lag', channel: 'deals', delayMs: 5000 });
    expect(await takeNow()).toEqual(atOnce);
    expect([(await deals({ sandbox })).length, (await history({ sandbox })).length]).toEqual([0, 1]);
    const [queried] = await client.request('deals_request', [market, 0, 10]);
    expect(queried).toMatchObject({ result: { records: [] } });
    sandbox.clock.advance(4900);
    expect(await deals({ sandbox })).toHaveLength(1);

    sandbox.liveFault({ kind: 'history-lag', channel: 'ordersPending' });
    expect(await takeNow()).toEqual(atOnce);
    expect([(await deals({ sandbox })).length, (await history({ sandbox })).length]).toEqual([2, 1]);
    sandbox.clock.advance(900);
    expect(await history({ sandbox })).toHaveLength(2);
  });
});

it.each(doorNames)('an event %s comes within 100 ms, and with event-before-response at once', async (door) => {
  const world = await doors[door]({ markets });
  const { sandbox } = world;
  const client = await following(world);
  const order = { market, side: 'buy', amount: '0.1' };
  await sendRaw({ sandbox }, '/api/v4/order/stock_market', order);
  expect(await client.rest()).toEqual([]);
  sandbox.clock.advance(100);
  expect(described(await client.rest())).toEqual(atOnce);
  sandbox.liveFault({ kind: 'event-before-response', channel: 'ordersExecuted' });
  await sendRaw({ sandbox }, '/api/v4/order/stock_market', order);
  expect(described(await client.rest())).toEqual(atOnce);
  sandbox.assertNoPendingFaults();
  client.close();
});

it('an event in process with event-before-response arrives before the response does', async () => {
  const world = await doors['in process']({ markets });
  const { sandbox } = world;
  const log: string[] = [];
  const socket = new sandbox.WebSocket('wss://exchange.sandbox.test/ws');
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve);
  });
  const send = (method: string, params: readonly unknown[]) => {
    socket.send(JSON.stringify({ id: 1, method, params }));
  };
  send('authorize', [await tokenOf(sandbox), 'public']);
  send('deals_subscribe', [[market]]);
  await new Promise((resolve) => setImmediate(resolve));
  socket.addEventListener('message', () => log.push('event'));
  sandbox.liveFault({ kind: 'event-before-response' });
  await sendRaw({ sandbox }, '/api/v4/order/stock_market', { market, side: 'buy', amount: '0.1' });
  log.push('response');
  expect(log).toEqual(['event', 'response']);
});

describe('a private subscription', () => {
  it.each([
    ['deals', [[market]]],
    ['balanceSpot', []],
    ['positionsMargin', []],
    ['ADLQuantile', []],
  ] as const)('to %s: its connection meets faults of the channel', async (channel, params) => {
    const world = await doors['in process']({ markets: [...markets, { name: 'BTC_PERP', price: '60000' }] });
    const client = await world.connect();
    world.sandbox.liveFault({ kind: 'close', channel, code: 4000 });
    await client.request('authorize', [await tokenOf(world.sandbox), 'public']);
    expect(world.sandbox.pendingFaults()).toHaveLength(1);
    await client.request(`${channel}_subscribe`, params);
    expect(await client.ended).toMatchObject({ code: 4000 });
  });

  it('gets no earlier events', async () => {
    const { sandbox, connect } = await open();
    const late = await authorized({ sandbox, connect });
    await sendRaw({ sandbox }, '/api/v4/order/stock_market', { market, side: 'buy', amount: '0.1' });
    await late.request('deals_subscribe', [[]]);
    sandbox.clock.advance(100);
    expect(await late.rest()).toEqual([]);
  });

  it('gets the end of orders whose market is delisted', async () => {
    const { sandbox, client, rest } = await open();
    await rest();
    sandbox.market(market).delist();
    sandbox.clock.advance(100);
    expect(await client.rest()).toMatchObject([
      { params: [3, { status: 'DELISTING' }] },
      { params: [{ status: 'DELISTING' }] },
    ]);
  });
});

describe('faults at random', () => {
  const kinds: readonly LiveFaultKind[] = [
    ...(['silent-loss', 'collapse', 'order-before-deal', 'event-before-response', 'history-lag'] as const),
  ];
  const run = async (random: Parameters<World['sandbox']['randomLiveFaults']>[0]) => {
    const { sandbox, rest, hit } = await open();
    sandbox.randomLiveFaults(random);
    const frames = [];
    for (let count = 0; count < 10; count += 1) frames.push(await rest(), await hit());
    return { frames, missing: sandbox.ledger.fills.length - frames.flat().filter((one) => one === 'deals').length };
  };

  it('include those of accounts, reproducibly', async () => {
    const first = await run({ share: 0.3, kinds, seed: 5 });
    expect(first.missing).toBeGreaterThan(0);
    expect(await run({ share: 0.3, kinds, seed: 5 })).toEqual(first);
    expect((await run({ share: 0.3, kinds, seed: 6 })).frames).not.toEqual(first.frames);
    expect((await run(undefined)).missing).toBe(0);
  });

  it('meet a connection that follows an account, too', async () => {
    const { sandbox, client, takeNow } = await open();
    sandbox.randomLiveFaults({ share: 1, kinds: ['cut'] });
    expect(await takeNow()).toEqual([]);
    expect(await client.ended).toMatchObject({ code: 1006 });
  });
});
