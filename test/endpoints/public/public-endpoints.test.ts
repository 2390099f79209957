// The public endpoints: the responses that the exchange publishes and sends.
import { hasFeesByProvider, unreadableIn, type AssetFees, type Endpoint } from 'exchange-rx';
import { public as market } from 'exchange-rx/endpoints';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as vectors from '../../contract/vectors.js';
import { callUntyped } from '../../support/endpoints.js';
import { failureOf } from '../../support/failure.js';
import { recordedOf } from '../../support/recorded.js';
import { clientThatGets } from '../../support/recording-fetch.js';

const { platformStatus, assets, orderBook, marketDepth, recentTrades, assetFees } = market;
const { collateralMarkets, futuresMarkets, fundingRateHistory, candles } = market;

/** Gets a body from an endpoint, with its recorded parameters and these. */
const call = (endpoint: Endpoint, body: unknown, status = 200, params: object = {}) =>
  callUntyped(clientThatGets([body], status).exchange, endpoint, { ...recordedOf(endpoint).params, ...params });
const outputOf = (...sent: Parameters<typeof call>) => firstValueFrom(call(...sent));
const errorOf = (...sent: Parameters<typeof call>) => failureOf(call(...sent));

const { orderBook: book } = vectors;
const [futuresMarket] = vectors.futures.result;

describe('the platform status', () => {
  it.each([
    [{ status: 'system operational' }, 'system operational'],
    [{ status: 'system maintenance' }, 'system maintenance'],
    [{ status: '1' }, 'system operational'],
    [{ status: '0' }, 'system maintenance'],
    [{ status: 1 }, 'system operational'],
    [{ status: 0 }, 'system maintenance'],
    ['1', 'system operational'],
    [0, 'system maintenance'],
    ['system maintenance', 'system maintenance'],
    [{ status: 'read only' }, 'read only'],
    [{ status: 'constructor' }, 'constructor'],
  ])('%j is %s', async (body, status) => {
    expect(await outputOf(platformStatus, body)).toEqual({ status });
  });

  it.each([{}, { status: null }, { status: {} }, [], ['1'], null])('is not %j', async (body) => {
    expect(await errorOf(platformStatus, body)).toMatchObject({ kind: 'response' });
  });
});

describe('an order book', () => {
  it.each<Endpoint>([orderBook, marketDepth])('of $name may have an empty side', async (endpoint) => {
    expect(await outputOf(endpoint, { ...book, asks: [] })).toEqual({ ...book, asks: [] });
  });

  it('has its levels as two decimal strings each', async () => {
    const sent = { asks: [[1.5, 2]], bids: [['1', '4', 7]] };
    expect(await outputOf(orderBook, sent)).toEqual({ asks: [['1.5', '2']], bids: [['1', '4']] });
  });

  it.each([
    { ...book, asks: null },
    { ticker_id: 'BTC_USDT', asks: [] },
    { ...book, bids: [['1']] },
    { ...book, asks: [['oops', '1'], ...book.asks] },
    { ...book, asks: [['-1', '1'], ...book.asks] },
    { ...book, asks: [['0', '1'], ...book.asks] },
    { ...book, asks: book.asks.toReversed() },
    { ...book, bids: [['9180', '1'], ...book.bids] },
    { ...book, asks: book.bids, bids: book.asks },
    { ...book, ticker_id: ['ETH_USDT'] },
    { ...book, ticker_id: 'ETH_USDT' },
    [],
  ])('is not %j', async (body) => {
    expect(await errorOf(orderBook, body)).toMatchObject({ kind: 'response' });
    expect(await errorOf(marketDepth, body)).toMatchObject({ kind: 'response' });
  });

  it('of a market in lower case is that of the market', async () => {
    expect(await outputOf(orderBook, book, 200, { market: 'btc_usdt' })).toEqual(book);
  });
});

describe('candles', () => {
  it('have their prices by name, although the exchange sends close before high and low', async () => {
    expect(await outputOf(candles, vectors.kline)).toEqual([
      {
        ...{ time: 1795316400, open: '60010.1', high: '60020', low: '60001.2', close: '60012.5' },
        ...{ volume: '1.25', money_volume: '75012.5' },
      },
      {
        ...{ time: 1795320000, open: '60012.5', high: '60013', low: '59990', close: '60000' },
        ...{ volume: '2', money_volume: '120010' },
      },
    ]);
  });

  it('are read without an envelope, with numbers, and without volumes', async () => {
    const prices = { open: '1', high: '3', low: '0.5', close: '2' };
    expect(
      await outputOf(candles, [
        ['60', 1, 2, 3, 0.5, null, 7, 'BTC_USDT'],
        [120, '1', '2', '3', '0.5'],
      ]),
    ).toEqual([
      { time: 60, ...prices, money_volume: '7' },
      { time: 120, ...prices },
    ]);
  });

  it('that cannot be read are left out, as are those whose prices are in another order, or whose time is not seconds', async () => {
    const inOtherOrder = [60, '1', '3', '0.5', '2', '1', '1'];
    const inMilliseconds = [1_795_316_400_000, '1', '2', '3', '0.5'];
    const rows = [...vectors.kline.result, [1, '1'], {}, inOtherOrder, inMilliseconds];
    const output = await outputOf(candles, { ...vectors.kline, result: rows });
    expect(output).toHaveLength(2);
    expect(unreadableIn(output)).toMatchObject({ count: 4 });
  });

  it.each([
    ['market', 'market'],
    ['interval', 'validation'],
  ])('are refused for their %s with HTTP 200', async (field, reason) => {
    const body = { success: false, message: { [field]: ['is not available.'] }, result: [] };
    expect(await errorOf(candles, body)).toMatchObject({ kind: 'api', status: 200, reason, outcome: 'rejected' });
  });
});

describe('assets', () => {
  it('have their types, and nothing that is not of them', async () => {
    const odd = {
      unified_cryptoasset_id: '1027',
      maker_fee: 0.1,
      networks: { deposits: null, withdraws: ['ERC20', {}, 7] },
      limits: { deposit: [], withdraw: { ERC20: { min: 0.001, max: null }, TRC20: 'none' } },
      confirmations: { ERC20: '32' },
      memo: 'none',
      providers: [],
    };
    expect(await outputOf(assets, { ETH: odd })).toEqual({
      ETH: {
        unified_cryptoasset_id: 1027,
        maker_fee: '0.1',
        networks: { withdraws: ['ERC20', '7'] },
        limits: { deposit: {}, withdraw: { ERC20: { min: '0.001' } } },
        confirmations: { ERC20: 32 },
      },
    });
  });

  it('are 1,000 of three networks at most, and other lists are shorter than their maximum', () => {
    const name = ['ERC20', 'TRC20', 'BEP20'];
    const map = (value: unknown) => Object.fromEntries(name.map((network) => [network, value]));
    const asset = {
      ...vectors.assets.BTC,
      networks: { deposits: name, withdraws: name, default: 'ERC20' },
      limits: { deposit: map({ min: '1', max: '2' }), withdraw: map({ min: '1', max: '2' }) },
      confirmations: map(12),
      providers: { deposits: name, withdraws: name },
    };
    expect(partsOf(asset) * 1000).toBeLessThan(assets.maxResponseParts ?? 0);
    expect(partsOf(vectors.ticker.BTC_USDT) * 2000).toBeLessThan(80_000);
    expect(partsOf(futuresMarket) * 800).toBeLessThan(80_000);
    const { 'USDT (ERC20)': crypto, UAH } = vectors.fee;
    expect(partsOf(crypto) * 1500 + partsOf(UAH) * 500).toBeLessThan(assetFees.maxResponseParts ?? 0);
  });
});

/** Names and values, as a response counts them: an item of a list is one, a field of an object two. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Object.values(value).reduce<number>((sum, one) => sum + partsOf(one), 0);
  return 1 + inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

it('fees of assets say whether they are by provider', async () => {
  const fees = v.parse(assetFees.response, vectors.fee);
  const isByProvider = ({ withdraw = {} }: AssetFees) => hasFeesByProvider(withdraw);
  expect(Object.values(fees).map(isByProvider)).toEqual([false, true]);
  const odd = (withdraw: unknown) => outputOf(assetFees, { EUR: { withdraw } });
  expect(await odd({})).toEqual({ EUR: { withdraw: {} } });
  expect(await odd({ flex: { percent: 1 } })).toEqual({ EUR: { withdraw: { flex: { percent: '1' } } } });
  expect(await odd({ SEPA: { fixed: 1 }, ADV: null })).toEqual({ EUR: { withdraw: { SEPA: { fixed: '1' } } } });
  expect(await odd({ fixed: '1', min_amount: { new: 'kind' } })).toEqual({ EUR: { withdraw: { fixed: '1' } } });
  expect(await odd('free')).toEqual({ EUR: {} });
});

describe('futures markets', () => {
  it('have the brackets that can be read, with negative ones', async () => {
    const brackets = { '1': -10000, '100': '50000', '200': null };
    expect(await outputOf(futuresMarkets, [{ ticker_id: 'BTC_PERP', brackets }])).toEqual([
      { ticker_id: 'BTC_PERP', brackets: { '1': '-10000', '100': '50000' } },
    ]);
  });

  it.each<Endpoint>([futuresMarkets, collateralMarkets])('are not offered in a region: $name', async (endpoint) => {
    const body = { success: false, message: 'api.margin.unavailable', errors: [] };
    expect(await errorOf(endpoint, body, 451)).toMatchObject({ kind: 'api', status: 451, reason: 'region' });
  });
});

const ofMarkets: readonly Endpoint[] = [orderBook, marketDepth, recentTrades, fundingRateHistory];
it.each(ofMarkets)('an unknown market is the reason of a rejection of $name', async (endpoint) => {
  for (const body of [{ market: ['Market is not available.'] }, { market: 'Market is not available.' }])
    expect(await errorOf(endpoint, body, 422)).toMatchObject({
      ...{ kind: 'api', reason: 'market', outcome: 'rejected' },
      errors: { market: ['Market is not available.'] },
    });
});
