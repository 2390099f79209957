// Where the exchange's behavior is unknown, the sandbox does what most clients expect, or is unkind.
import type { SandboxOptions } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors, thinMarkets as markets, type Frame } from './doors.js';

const thin = [{ name: 'BTC_USDT', price: '60000', depth: { levels: 0, step: 0.001, size: '0.5' } }];

async function connected(options: SandboxOptions, itsMarkets = markets) {
  const { sandbox, connect } = await doors['in process']({ markets: itsMarkets, ...options });
  const client = await connect();
  return { sandbox, client };
}

/** The first parameter of each push: the market of lists. */
const firstsOf = (frames: readonly Frame[]) => frames.map(({ params }) => params[0]);

/** The usual behavior, and the other one. */
const usual = {};
const unkind = { unkindSeed: 0 };

it.each([
  ['as it was', usual, ['ETH_USDT']],
  ['with the markets before the unknown one', unkind, ['BTC_USDT']],
  ['empty', { unkindSeed: 1 }, []],
] as const)('a refused list leaves the subscription %s', async (_, options, expected) => {
  const { sandbox, client } = await connected(options);
  await client.request('market_subscribe', ['ETH_USDT']);
  expect(await client.request('market_subscribe', ['BTC_USDT', 'XRP_USDT', 'ETH_USDT'])).toMatchObject([
    { error: { code: 9 } },
  ]);
  sandbox.clock.advance(1000);
  expect(firstsOf(await client.rest())).toEqual(expected);
});

it.each([
  ['adds its market', usual, ['BTC_USDT', 'ETH_USDT']],
  ['drops the other markets', unkind, ['ETH_USDT']],
] as const)('a second bookTicker_subscribe %s', async (_, options, expected) => {
  const { sandbox, client } = await connected(options);
  await client.request('bookTicker_subscribe', ['BTC_USDT']);
  await client.request('bookTicker_subscribe', ['ETH_USDT']);
  for (const { name } of markets) sandbox.market(name).setPrice('2000');
  sandbox.clock.advance(100);
  expect(firstsOf(await client.rest()).map((tuple) => (tuple as unknown[])[2])).toEqual(expected);
});

it.each([
  ['keeps the other markets with true', usual, [true], ['BTC_USDT', 'ETH_USDT']],
  ['drops them with false', usual, [false], ['ETH_USDT']],
  ['drops them without its fourth parameter', usual, [], ['ETH_USDT']],
  ['keeps them without its fourth parameter, if unkind', unkind, [], ['BTC_USDT', 'ETH_USDT']],
] as const)('a second depth_subscribe %s', async (_, options, multi, expected) => {
  const { sandbox, client } = await connected(options);
  await client.request('depth_subscribe', ['BTC_USDT', 5, '0', true]);
  await client.request('depth_subscribe', ['ETH_USDT', 5, '0', ...multi]);
  for (const { name } of markets) sandbox.market(name).setPrice('2000');
  sandbox.clock.advance(100);
  expect((await client.rest()).map(({ params }) => params[2])).toEqual(expected);
});

describe('the first values of a subscription', () => {
  it.each([
    ['after', usual, ['response', 'trades_update']],
    ['before', unkind, ['trades_update', 'response']],
  ] as const)('come %s the response', async (_, options, expected) => {
    const { client } = await connected(options);
    const frames = await client.request('trades_subscribe', ['BTC_USDT']);
    expect(frames.map(({ method = 'response' }) => method)).toEqual(expected);
  });

  it.each(['lastprice', 'market', 'marketToday'])('of %s come at once, or with the next second', async (channel) => {
    for (const [options, frames] of [[usual, 2] as const, [unkind, 1] as const]) {
      const { sandbox, client } = await connected(options);
      expect(await client.request(`${channel}_subscribe`, ['BTC_USDT'])).toHaveLength(frames);
      sandbox.market('BTC_USDT').setPrice('61000');
      sandbox.clock.advance(1000);
      expect(firstsOf(await client.rest())).toEqual(['BTC_USDT']);
    }
  });
});

it.each([
  ['an empty list', usual, ['timestamp', 'update_id', 'asks', 'bids', 'event_time']],
  ['absent', unkind, ['timestamp', 'update_id', 'event_time']],
] as const)(
  'an empty side of the order book is %s in a snapshot, and zeros in bookTicker',
  async (_, options, expected) => {
    const { client } = await connected(options, thin);
    const frames = await client.request('depth_subscribe', ['BTC_USDT', 5, '0', true]);
    expect(Object.keys(frames.find(({ method }) => method === 'depth_update')?.params[1] as object)).toEqual(expected);
    const ticker = JSON.stringify(await client.request('bookTicker_subscribe', []));
    expect(ticker).toMatch(/"BTC_USDT",\d+,"0","0","0","0"\]\]/);
  },
);

const added = ['60010', '0.2'];
it.each([
  ['is removed', usual, [added, ['60030', '0']]],
  ['stays, so that clients must truncate', unkind, [added]],
] as const)('a level that leaves the window %s', async (_, options, asks) => {
  const { sandbox, client } = await connected(options);
  await client.request('depth_subscribe', ['BTC_USDT', 1, '0', true]);
  await sendRaw({ sandbox }, '/api/v4/order/new', { market: 'BTC_USDT', side: 'sell', amount: '0.2', price: '60010' });
  sandbox.clock.advance(100);
  const frames = await client.rest();
  expect(frames).toMatchObject([{ params: [false, { asks }, 'BTC_USDT'] }]);
  expect(frames).toHaveLength(1);
});

it.each([
  ['up to it', usual, [2, 1]],
  ['after it', unkind, [3]],
] as const)('trades_request with an ID returns the trades %s', async (_, options, expected) => {
  const { sandbox, client } = await connected(options);
  for (const price of ['60100', '60200', '60300']) sandbox.market('BTC_USDT').setPrice(price);
  const trades = sandbox.market('BTC_USDT').trades();
  const [response] = await client.request('trades_request', ['BTC_USDT', 2, trades[2]?.id]);
  expect(response).toMatchObject({ result: expected.map((index) => ({ id: trades[index]?.id })) });
});

it.each([
  ['are silent', usual, []],
  ['go on with an empty book', unkind, [false, true]],
] as const)('the streams of a delisted market %s', async (_, options, expected) => {
  const { sandbox, client } = await connected(options);
  await client.request('depth_subscribe', ['BTC_USDT', 1, '0', true]);
  await client.request('market_subscribe', ['BTC_USDT']);
  await client.request('candles_subscribe', ['BTC_USDT', 60]);
  sandbox.market('BTC_USDT').delist();
  sandbox.clock.advance(10_100);
  expect(firstsOf(await client.rest())).toEqual(expected);
  expect(await client.request('lastprice_request', ['BTC_USDT'])).toMatchObject([{ error: { code: 9 } }]);
});
