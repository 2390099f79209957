// Lists that are read to their end, a page at a time.
import { asPromises, createExchange, type ClientOptions, type Fetch, type Order } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { orders, subAccounts } from 'exchange-rx/endpoints';
import { concat, forkJoin, lastValueFrom, of, take, timer, toArray, type Observable } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as v from 'valibot';
import { allItems } from '../../src/call/all-items.js';
import type { WireFields } from '../../src/endpoint/index.js';
import { noteUnreadable } from '../../src/model/unreadable.js';
import { valuesAndErrors } from '../support/watch.js';

function setup(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const exchange = createExchange(sandbox.clientOptions());
  return { sandbox, exchange, pages: () => sandbox.ledger.requests.length };
}

const ids = (count: number) => Array.from({ length: count }, (_, id) => id);
const all = <T>(items$: Observable<T>) => lastValueFrom(items$.pipe(toArray()));

describe('exchange.subAccounts.listAll', () => {
  it('emits every sub-account, page after page', async () => {
    const { exchange, pages } = setup({ subAccountCount: 250 });
    const aliases = (await all(exchange.subAccounts.listAll())).map(({ alias }) => alias);
    expect(aliases).toEqual(Array.from({ length: 250 }, (_, index) => `trading_bot_${index + 1}`));
    expect(pages()).toBe(3);
  });

  it('reads no page that is not needed', async () => {
    const { exchange, pages } = setup({ subAccountCount: 250 });
    exchange.subAccounts.listAll();
    expect(pages()).toBe(0);
    await all(exchange.subAccounts.listAll().pipe(take(5)));
    expect(pages()).toBe(1);
    await all(exchange.subAccounts.listAll().pipe(take(100)));
    expect(pages()).toBe(2);
    await all(exchange.subAccounts.listAll().pipe(take(101)));
    expect(pages()).toBe(4);
  });

  it('emits an item that moved to the next page meanwhile once', async () => {
    const sandbox = createSandbox({ subAccountCount: 150 });
    let last: unknown;
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      fetch: async (...request) => {
        const page: unknown = await (await sandbox.fetch(...request)).json();
        const { data, ...rest } = v.parse(v.looseObject({ data: v.array(v.unknown()) }), page);
        const moved = last === undefined ? data : [last, ...data];
        last = data.at(-1);
        return Response.json({ ...rest, data: moved });
      },
    });
    expect(await all(exchange.subAccounts.listAll())).toHaveLength(150);
  });

  it('fails for bad parameters before anything is sent', async () => {
    const { exchange, pages } = setup();
    const failed = all(exchange.orders.listAllDeals({ market, since: Date.now() }));
    await expect(failed).rejects.toMatchObject({ endpoint: 'orders.listAllDeals', issues: [{ field: 'since' }] });
    expect(pages()).toBe(0);
  });

  it('passes the error of a page on', async () => {
    const { sandbox, exchange } = setup({ subAccountCount: 250 });
    sandbox.account().setKeyEnabled(false);
    const failed = all(exchange.subAccounts.listAll(undefined, { retry: false }));
    await expect(failed).rejects.toMatchObject({ kind: 'auth' });
  });

  it('reads pages that do not state their size until one is empty', async () => {
    const read = ({ offset }: WireFields) => of({ data: Number(offset) < 4 ? [{ id: String(offset) }] : [] });
    expect(await all(allItems(subAccounts.listAll, {}, () => 0, read))).toHaveLength(4);
  });

  it('ends, with an error, when every page has the same items', async () => {
    const read = () => of({ data: ids(100).map((id) => ({ id: `${id}` })) });
    await expect(all(allItems(subAccounts.listAll, {}, () => 0, read))).rejects.toMatchObject({
      message: expect.stringContaining('the pages have no new items') as string,
    });
  });

  it('reports more items than can be requested, after emitting the others', () => {
    const items = subAccounts.listAll;
    const read = ({ offset }: WireFields) =>
      of({ limit: 100, offset: Number(offset), data: ids(100).map((id) => ({ id: `${Number(offset) + id}` })) });
    const { values: seen, errors } = valuesAndErrors(allItems(items, {}, () => 0, read));
    expect(seen).toHaveLength(10_100);
    expect(errors).toMatchObject([{ kind: 'request', endpoint: 'subAccounts.listAll', issues: [{ field: 'offset' }] }]);
  });
});

describe('exchange.mining.listAllAccounts', () => {
  it('emits every account, newest first', async () => {
    const { exchange, pages } = setup({ miningAccountCount: 101 });
    const names = (await all(exchange.mining.listAllAccounts())).map(({ name }) => name);
    expect([names.length, names[0], names.at(-1), pages()]).toEqual([101, 'my_miner_101', 'my_miner_01', 2]);
  });
});

const market = 'BTC_USDT';

const period = v.looseObject({ startDate: v.number(), endDate: v.optional(v.number()) });

/** An open order, and as the exchange sends it. */
const open = { client_order_id: '', market, side: 'buy', type: 'limit', timestamp: 1, amount: '1', left: '1' };
const wireOrder = { ...open, orderId: 1 };

/** An order of the history, as the exchange sends it. */
const historical = {
  ...{ clientOrderId: '', side: 'buy', type: 'limit', amount: '1', price: '1', status: 'FILLED' },
  ...{ dealMoney: '1', dealStock: '1', dealFee: '0', feeAsset: 'USDT', postOnly: false, ioc: false },
};

/** An account with open orders, which differ in their prices. */
async function withOpenOrders(count: number) {
  const sandbox = createSandbox();
  const exchange = createExchange(sandbox.clientOptions());
  const orders = ids(count).map((id) => ({ market, side: 'buy', amount: '0.001', price: `${10_000 + id}` }) as const);
  for (let first = 0; first < count; first += 20)
    await lastValueFrom(exchange.spot.placeLimitOrders({ orders: orders.slice(first, first + 20) }));
  const pages = () => sandbox.ledger.requests.filter(({ path }) => path === '/api/v4/orders').length;
  return { sandbox, exchange, pages };
}

describe('exchange.orders.listAllOpen', () => {
  it('emits all of 130 open orders, of which a call of open lists 50', async () => {
    const { exchange, pages } = await withOpenOrders(130);
    const orders = await all(exchange.orders.listAllOpen({ market }));
    expect(new Set(orders.map(({ price }) => price)).size).toBe(130);
    expect(pages()).toBe(2);
    expect(await lastValueFrom(exchange.orders.open({ market }))).toHaveLength(50);
    expect(await asPromises(exchange).orders.listAllOpen({ maxItems: 120 })).toHaveLength(120);
  });

  it.each([1, 20])('misses no order that stays open when %i others are canceled between two pages', async (count) => {
    const { sandbox, exchange } = await withOpenOrders(130);
    const before = await all(exchange.orders.listAllOpen());
    const canceled = before.slice(0, count).map(({ order_id }) => order_id);
    const cancels$ = forkJoin(canceled.map((order_id) => exchange.orders.cancel({ market, order_id })));
    // So many nonces at once are ahead of the clock, from which another client takes its own.
    const cancelAll$ = concat(cancels$, timer(100));
    let pages = 0;
    const fetch: Fetch = async (url, init) => {
      const response = await sandbox.fetch(url, init);
      pages += 1;
      if (pages === 1) await lastValueFrom(cancelAll$);
      return response;
    };
    const reader = createExchange({ ...sandbox.clientOptions(), fetch });
    const seen = new Set((await all(reader.orders.listAllOpen())).map(({ order_id }) => order_id));
    const missed = before.filter(({ order_id }) => !canceled.includes(order_id) && !seen.has(order_id));
    expect(missed).toEqual([]);
  });

  it('misses no order that stays open when a page has a record that cannot be read', async () => {
    let listed = ids(250).map((id) => ({ ...open, order_id: 1000 - id }));
    let requests = 0;
    const read = ({ limit, offset }: WireFields) => {
      const page = listed.slice(Number(offset), Number(offset) + Number(limit));
      requests += 1;
      if (requests === 1) listed = listed.slice(3);
      const readable = page.filter(({ order_id }) => order_id !== 850);
      if (readable.length < page.length) noteUnreadable(readable, { count: 1, sample: '50.side is missing' });
      return of(readable);
    };
    const seen = new Set((await all(allItems(orders.listAllOpen, {}, () => 0, read))).map(({ order_id }) => order_id));
    expect(listed.filter(({ order_id }) => !seen.has(order_id))).toEqual([{ ...open, order_id: 850 }]);
  });

  it('ends, with an error, when each page has other orders than all pages before', async () => {
    let requests = 0;
    const read = () => {
      requests += 1;
      return of(ids(100).map((id) => ({ ...open, order_id: requests * 1000 + id })));
    };
    await expect(all(allItems(orders.listAllOpen, {}, () => 0, read))).rejects.toMatchObject({
      kind: 'response',
      endpoint: 'orders.listAllOpen',
      message: expect.stringContaining('the list changed too often while it was read') as string,
    });
    expect(requests).toBeLessThan(250);
  });
});

describe('exchange.orders.listAllHistory', () => {
  it('reads 100 days in periods of 30, the latest first, by one page each, and emits each order once', async () => {
    const sandbox = createSandbox();
    const now = 1_795_000_000;
    const asked: Record<string, unknown>[] = [];
    const day = 24 * 60 * 60;
    const order = (id: number, ftime: number) => ({ ...historical, id, ctime: ftime, ftime });
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      now: () => now * 1000,
      fetch: async (input, init) => {
        const body: unknown = await new Request(input, init).json();
        const { startDate, endDate } = v.parse(period, body);
        asked.push({ startDate, endDate });
        const ended = [order(1, now - 10), order(2, now - 30 * day), order(3, now - 99 * day)];
        const listed = ended.filter(({ ftime }) => ftime >= startDate && ftime <= (endDate ?? Infinity));
        return Response.json(listed.length === 0 ? [] : { [market]: listed });
      },
    });
    const since = now - 100 * day;
    const orders = await all(exchange.orders.listAllHistory({ market, since }));
    expect(orders.map(({ order_id }) => order_id)).toEqual([1, 2, 3]);
    expect(asked).toEqual([
      { startDate: now - 30 * day, endDate: undefined },
      { startDate: now - 60 * day, endDate: now - 30 * day },
      { startDate: now - 90 * day, endDate: now - 60 * day },
      { startDate: since, endDate: now - 90 * day },
    ]);
  });
});

describe('exchange.orders.listAllDeals', () => {
  it('emits every deal when a page of new deals comes between two pages', async () => {
    let listed = ids(250).map((id) => ({ id: 1000 - id }));
    const read = ({ limit, offset }: WireFields) => {
      const page = listed.slice(Number(offset), Number(offset) + Number(limit));
      if (offset === 0) listed = [...ids(100).map((id) => ({ id: 2000 - id })), ...listed];
      return of(page);
    };
    const deals = await all(
      allItems({ ...orders.listAllDeals, itemsOf: (page) => page, keyOf: ({ id }) => id }, {}, () => 0, read),
    );
    expect(deals.map(({ id }) => id)).toEqual(ids(250).map((id) => 1000 - id));
  });

  it('emits the deals of a market since a time, at most maxItems', async () => {
    const { exchange } = setup();
    const trade = () => lastValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.001' }));
    await trade();
    await trade();
    const since = Math.floor(Date.now() / 1000) - 60;
    const deals = await all(exchange.orders.listAllDeals({ market, since }));
    expect(new Set(deals.map(({ order_id }) => order_id)).size).toBe(2);
    expect(await all(exchange.orders.listAllDeals({ market, since: since + 3600 }))).toEqual([]);
    expect(await all(exchange.orders.listAllDeals({ market, maxItems: 1 }))).toEqual(deals.slice(0, 1));
  });
});

describe('a list that was cut at the default of its limit', () => {
  /** A client of an exchange that lists so many open orders. */
  const listing = (count: number, options: Partial<ClientOptions> = {}) =>
    createExchange({
      ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' } },
      fetch: () => Promise.resolve(Response.json(ids(count).map(() => wireOrder))),
      ...options,
    });

  function warningsOf() {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    return warnings;
  }

  it('warns, once for a place, and names the method that lists all', async () => {
    const { exchange } = await withOpenOrders(50);
    const warnings = warningsOf();
    const list = (): Promise<Order[]> => lastValueFrom(exchange.orders.open());
    for (let calls = 0; calls < 2; calls += 1) await list();
    expect(warnings.map(({ message }) => message)).toEqual([
      'orders.open emitted 50 items, the default of its limit, so there may be more: call orders.listAllOpen, or pass limit',
    ]);
    expect(warnings[0]?.stack).toMatch(/all-items\.test\.ts/);
  });

  it.each<[string, Partial<ClientOptions>, object, number]>([
    ['a limit', {}, { limit: 50 }, 50],
    ['fewer items', {}, {}, 49],
    ['warnings: false', { warnings: false }, {}, 50],
  ])('does not warn with %s', async (_, options, params, count) => {
    const warnings = warningsOf();
    await lastValueFrom(listing(count, options).orders.open(params));
    expect(warnings).toEqual([]);
  });
});
