// Where the exchange's behavior is unknown, an option of the sandbox selects one.
import { createSandbox, type SandboxLiveOptions } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors, type Client } from './doors.js';

const markets = [
  { name: 'BTC_USDT', price: '60000', minAmount: '0.0001', depth: { levels: 3, step: 0.001, size: '0.5' } },
  { name: 'ETH_USDT', price: '3000', depth: { levels: 3, step: 0.001, size: '2' } },
];
const thin = [{ name: 'BTC_USDT', price: '60000', depth: { levels: 0, step: 0.001, size: '0.5' } }];

interface Frame {
  readonly method?: string;
  readonly error?: { readonly code: number } | null;
  readonly params?: readonly unknown[];
}

async function connected(live: SandboxLiveOptions, itsMarkets = markets) {
  const { sandbox, connect } = await doors['in process']({ markets: itsMarkets, live });
  const client = await connect();
  return { sandbox, client };
}

async function request(client: Client, method: string, params: readonly unknown[]): Promise<Frame[]> {
  client.send({ id: 1, method, params });
  return (await client.rest()) as Frame[];
}

/** The first parameter of each push: the market of lists. */
const firstsOf = (frames: readonly unknown[]) => (frames as Frame[]).map(({ params = [] }) => params[0]);

describe('a refused list', () => {
  it.each([
    ['whole', ['ETH_USDT']],
    ['partial', ['BTC_USDT']],
    ['empty', []],
  ] as const)('leaves the subscription %s', async (refusedList, expected) => {
    const { sandbox, client } = await connected({ refusedList });
    await request(client, 'market_subscribe', ['ETH_USDT']);
    expect(await request(client, 'market_subscribe', ['BTC_USDT', 'XRP_USDT', 'ETH_USDT'])).toMatchObject([
      { error: { code: 9 } },
    ]);
    sandbox.clock.advance(1000);
    expect(firstsOf(await client.rest())).toEqual(expected);
  });
});

describe('a second bookTicker_subscribe', () => {
  it.each([
    ['add', ['BTC_USDT', 'ETH_USDT']],
    ['replace', ['ETH_USDT']],
  ] as const)('with the option %s', async (bookTicker, expected) => {
    const { sandbox, client } = await connected({ bookTicker });
    await request(client, 'bookTicker_subscribe', ['BTC_USDT']);
    await request(client, 'bookTicker_subscribe', ['ETH_USDT']);
    for (const { name } of markets) sandbox.market(name).setPrice('2000');
    sandbox.clock.advance(100);
    expect(firstsOf(await client.rest()).map((tuple) => (tuple as unknown[])[2])).toEqual(expected);
  });
});

describe('depth_subscribe', () => {
  const windows = async (live: SandboxLiveOptions, second: readonly unknown[]) => {
    const { sandbox, client } = await connected(live);
    await request(client, 'depth_subscribe', ['BTC_USDT', 5, '0', true]);
    await request(client, 'depth_subscribe', ['ETH_USDT', 5, '0', ...second]);
    for (const { name } of markets) sandbox.market(name).setPrice('2000');
    sandbox.clock.advance(100);
    return ((await client.rest()) as Frame[]).map(({ params = [] }) => params[2]);
  };

  it('keeps the other markets with true, and drops them with false', async () => {
    expect(await windows({}, [true])).toEqual(['BTC_USDT', 'ETH_USDT']);
    expect(await windows({}, [false])).toEqual(['ETH_USDT']);
  });

  it('without its fourth parameter replaces or adds, as the option says', async () => {
    expect(await windows({}, [])).toEqual(['ETH_USDT']);
    expect(await windows({ omittedMulti: 'add' }, [])).toEqual(['BTC_USDT', 'ETH_USDT']);
  });
});

describe('the first values of a subscription', () => {
  it('come after the response, or before it', async () => {
    const order = async (live: SandboxLiveOptions) => {
      const { client } = await connected(live);
      const frames = await request(client, 'lastprice_subscribe', ['BTC_USDT', 'ETH_USDT']);
      return frames.map(({ method = 'response' }) => method);
    };
    expect(await order({})).toEqual(['response', 'lastprice_update', 'lastprice_update']);
    expect(await order({ firstPush: 'before' })).toEqual(['lastprice_update', 'lastprice_update', 'response']);
  });

  it.each(['lastprice', 'market', 'marketToday'])(
    'of %s come with the next second, without valuesAtOnce',
    async (channel) => {
      const { sandbox, client } = await connected({ valuesAtOnce: false });
      expect(await request(client, `${channel}_subscribe`, ['BTC_USDT'])).toHaveLength(1);
      sandbox.clock.advance(1000);
      expect(firstsOf(await client.rest())).toEqual(['BTC_USDT']);
    },
  );
});

describe('an empty side of the order book', () => {
  it('is an empty list or absent in a snapshot, and zeros in bookTicker', async () => {
    const { client } = await connected({}, thin);
    expect(await request(client, 'depth_subscribe', ['BTC_USDT', 5, '0', true])).toMatchObject([
      {},
      { params: [true, { asks: [], bids: [] }, 'BTC_USDT'] },
    ]);
    const [, ticker] = await request(client, 'bookTicker_subscribe', []);
    expect(JSON.stringify(ticker?.params)).toMatch(/"BTC_USDT",\d+,"0","0","0","0"\]\]$/);

    const other = await connected({ emptySide: 'absent' }, thin);
    const [, snapshot] = await request(other.client, 'depth_subscribe', ['BTC_USDT', 5, '0', true]);
    expect(Object.keys(snapshot?.params?.[1] as object)).toEqual(['timestamp', 'update_id', 'event_time']);
  });
});

describe('a level that leaves the window', () => {
  it.each([
    [
      true,
      [
        ['60010', '0.2'],
        ['60030', '0'],
      ],
    ],
    [false, [['60010', '0.2']]],
  ] as const)('is removed by the exchange or not: windowRemovals %s', async (windowRemovals, asks) => {
    const { sandbox, client } = await connected({ windowRemovals });
    await request(client, 'depth_subscribe', ['BTC_USDT', 1, '0', true]);
    const order = { market: 'BTC_USDT', side: 'sell', amount: '0.2', price: '60010' };
    await sendRaw({ sandbox }, '/api/v4/order/new', order);
    sandbox.clock.advance(100);
    const frames = await client.rest();
    expect(frames).toMatchObject([{ params: [false, { asks }, 'BTC_USDT'] }]);
    expect(frames).toHaveLength(1);
  });
});

describe('trades_request with an ID', () => {
  it('returns the trades up to it, or those after it', async () => {
    const ids = async (live: SandboxLiveOptions) => {
      const { sandbox, client } = await connected(live);
      for (const price of ['60100', '60200', '60300']) sandbox.market('BTC_USDT').setPrice(price);
      const all = sandbox
        .market('BTC_USDT')
        .trades()
        .map(({ id }) => id);
      client.send({ id: 1, method: 'trades_request', params: ['BTC_USDT', 2, all[2]] });
      const { result } = (await client.next()) as { result: { id: number }[] };
      return result.map(({ id }) => all.indexOf(id));
    };
    expect(await ids({})).toEqual([2, 1]);
    expect(await ids({ tradesRequest: 'after' })).toEqual([3]);
  });
});

describe('the streams of a delisted market', () => {
  it.each([
    ['silent', []],
    ['empty', [false, true]],
  ] as const)('are %s', async (delisted, expected) => {
    const { sandbox, client } = await connected({ delisted });
    await request(client, 'depth_subscribe', ['BTC_USDT', 1, '0', true]);
    await request(client, 'market_subscribe', ['BTC_USDT']);
    await request(client, 'candles_subscribe', ['BTC_USDT', 60]);
    sandbox.market('BTC_USDT').delist();
    sandbox.clock.advance(10_100);
    expect(firstsOf(await client.rest())).toEqual(expected);
    expect(await request(client, 'lastprice_request', ['BTC_USDT'])).toMatchObject([{ error: { code: 9 } }]);
  });
});

describe('the order books of the ledger', () => {
  it('are the newest ones of all markets', async () => {
    const { sandbox, client } = await connected({ keptBooks: 3 });
    await request(client, 'depth_subscribe', ['BTC_USDT', 1, '0', true]);
    for (const price of ['60100', '60200', '60300', '60400']) {
      sandbox.market('BTC_USDT').setPrice(price);
      sandbox.clock.advance(100);
    }
    const frames = (await client.rest()) as { readonly params: readonly [boolean, { readonly update_id: number }] }[];
    const books = frames.map(({ params: [, { update_id }] }) => sandbox.ledger.live.bookAt('BTC_USDT', update_id, 1));
    expect(books.map((book) => book?.asks[0]?.[0])).toEqual([undefined, '60230.1', '60330.15', '60430.2']);
  });
});

describe('the times', () => {
  it('of keepalive snapshots and of silent clients are options', async () => {
    const { sandbox, client } = await connected({ keepaliveMs: 300, idleMs: 1000 });
    await request(client, 'depth_subscribe', ['BTC_USDT', 1, '0', true]);
    sandbox.clock.advance(900);
    expect(firstsOf(await client.rest())).toEqual([true, true, true]);
    sandbox.clock.advance(200);
    expect(await client.ended).toMatchObject({ code: 1006 });
  });

  it.each([
    [{ keepaliveMs: 0 }, 'live.keepaliveMs 0 must be an integer of 1 or more'],
    [{ bookTicker: 'both' }, 'live.bookTicker "both" must be one of add, replace'],
    [{ keepAliveMs: 1 }, 'live.keepAliveMs is unknown'],
  ])('and an invalid option throws: %j', (live, message) => {
    expect(() => createSandbox({ live: live as SandboxLiveOptions })).toThrow(message);
  });
});
