// The parts of the dashboard's page: what each has, and when it says that it is not true any more.
import { ClientRegistry, createExchange, type Exchange } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, switchMap, type Subscription } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PartValues } from '../../src/cli/dashboard/messages.js';
import { pagesOf, type FeedOfPage } from '../support/dashboard-page.js';
import { failureOf } from '../support/failure.js';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime(1_800_000_000_000);
let sandbox: Sandbox;
let exchange: Exchange;
let pages: ReturnType<typeof pagesOf>;
let opened: Subscription[];

beforeEach(() => {
  const depth = { levels: 20, step: 0.0005, size: '0.5' };
  const market = (name: string, price: string) => ({ name, price, depth });
  sandbox = createSandbox({
    markets: [market('BTC_USDT', '60000'), market('ETH_USDT', '3000'), market('BTC_PERP', '60000')],
    ...{ history: 1, tickMs: 1000 },
  });
  exchange = createExchange(exchangeOptions());
  pages = pagesOf(exchange);
  opened = [];
});

afterEach(() => {
  for (const subscription of opened) subscription.unsubscribe();
  pages.close();
});

const exchangeOptions = () => ({
  ...{ ...sandbox.clientOptions(), registry: new ClientRegistry(), warnings: false, lookupTimeoutMs: 5000 },
});
const wait = (ms: number) => time.advance(ms);

async function openPage(...args: Parameters<typeof pages.open>): Promise<FeedOfPage> {
  const page = pages.open(...args);
  opened.push(page.subscription);
  await wait(3000);
  return page;
}

function seen<Name extends keyof PartValues>({ parts }: FeedOfPage, name: Name): PartValues[Name] {
  const part = parts[name];
  if (part === undefined) throw new Error(`no ${name} came`);
  return part;
}

/** The status of each part of a page that has one. */
function statuses({ parts }: FeedOfPage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => ('state' in part ? [[name, part.state.status] as const] : [])),
  );
}

async function run<Value>(call: { subscribe: unknown } & Parameters<typeof firstValueFrom<Value>>[0]): Promise<Value> {
  const [value] = await Promise.all([firstValueFrom(call), wait(1000)]);
  return value;
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const aNumber = expect.any(Number) as number;
const signedAmount = matching(/^[+-]?\d+\.\d\d$/);
const buy = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const streamed = ['market', 'strip', 'candles', 'book', 'trades', 'positions', 'orders'];
const allLive = Object.fromEntries(streamed.map((name) => [name, 'live']));
const short = (amount: string) => ({ market: 'BTC_PERP', side: 'sell', amount }) as const;
const eth = { market: 'ETH_USDT', side: 'buy', amount: '1', price: '2000' } as const;

describe('a page of the dashboard', () => {
  it('has every part of a market and of the account, with its state', async () => {
    const page = await openPage();
    expect(statuses(page)).toEqual({ ...allLive, markets: 'read', account: 'read', executions: 'read' });
    expect(seen(page, 'market')).toMatchObject({
      rules: { priceDecimals: 2, amountDecimals: 6, tick: '0.01' },
      ...{ last: matching(/^\d+/), change: signedAmount },
      futuresState: { status: 'none' },
    });
    expect(seen(page, 'candles').points.length).toBe(500);
    expect(seen(page, 'book').asks.length).toBe(20);
    expect(seen(page, 'trades').list.length).toBe(60);
    const others = seen(page, 'strip').list.map(({ market }) => market);
    expect(others.toSorted()).toEqual(['BTC_PERP', 'ETH_USDT']);
    expect(seen(page, 'links')).toMatchObject({ stream: { status: 'live' }, requests: { status: 'up' } });
    expect(seen(page, 'exchange')).toMatchObject({ counts: { errors: 0, losses: 0 } });
    expect(seen(page, 'account').wallets.map(({ wallet }) => wallet)).toEqual(['spot', 'collateral', 'main']);
  });

  it('shows mark price and funding of a perpetual, and candles of the interval', async () => {
    const page = await openPage({ market: 'BTC_PERP', interval: '1h' });
    expect(seen(page, 'market')).toMatchObject({
      ...{ mark: matching(/^\d+/), fundingRate: matching(/^-?0\.\d{4}$/), futuresState: { status: 'live' } },
    });
    const [first, second] = seen(page, 'candles').points;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(3_600_000);
  });

  it('names the error of the network', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    pages = pagesOf(createExchange({ ...exchangeOptions(), fetch }));
    const { requests } = seen(await openPage(), 'links');
    expect(requests).toMatchObject({ status: 'down', reason: matching(/: ECONNREFUSED/) });
  });

  it('says that the exchange refuses a market, and shows the other parts', async () => {
    const page = await openPage({ market: 'BTC_MARS' });
    expect(seen(page, 'book').state).toMatchObject({ status: 'refused', reason: matching(/no such market/) });
    expect(statuses(page)).toMatchObject({ market: 'refused', candles: 'refused', trades: 'refused', account: 'read' });
  });

  it('sends no private request without credentials', async () => {
    const { baseUrl, fetch, webSocket } = sandbox.clientOptions();
    pages = pagesOf(createExchange({ baseUrl, fetch, webSocket, warnings: false }));
    const page = await openPage();
    const ofAccount = { orders: 'none', account: 'none', positions: 'none', executions: 'none' };
    expect(statuses(page)).toMatchObject({ book: 'live', ...ofAccount });
    expect(sandbox.ledger.requests.filter(({ path }) => !path.includes('/public/'))).toEqual([]);
  });
});

describe('several pages', () => {
  it('share every request and subscription', async () => {
    await openPage();
    const before = sandbox.ledger.requests.length;
    await wait(4000);
    const ofOne = sandbox.ledger.requests.length - before;
    await openPage();
    const again = sandbox.ledger.requests.length;
    await wait(4000);
    expect(sandbox.ledger.requests.length - again).toBeLessThanOrEqual(ofOne + 3);
  });

  it('are left without a request or a connection; pings end a minute later', async () => {
    const page = await openPage();
    const other = await openPage({ market: 'ETH_USDT' });
    page.subscription.unsubscribe();
    await wait(1000);
    expect(statuses(other)).toMatchObject({ book: 'live' });
    other.subscription.unsubscribe();
    await wait(61_000);
    const { length } = sandbox.ledger.requests;
    await wait(60_000);
    expect(sandbox.ledger.requests.length).toBe(length);
    expect([await firstValueFrom(exchange.live.state$), await firstValueFrom(exchange.live.my.state$)]).toEqual([
      { status: 'idle' },
      { status: 'idle' },
    ]);
  });
});

describe('an outage', () => {
  it('of the live connections makes what they pushed stale at once; orders and balances are read by requests', async () => {
    const page = await openPage();
    sandbox.liveFault({ kind: 'refuse', times: 1000 });
    sandbox.liveFault({ kind: 'cut', times: 10 });
    await wait(0);
    const lostAt = Date.now();
    expect(statuses(page)).toMatchObject({ market: 'stale', candles: 'stale', book: 'stale', trades: 'stale' });
    expect(seen(page, 'book').state.since).toBe(lostAt);
    await wait(4000);
    expect(statuses(page)).toMatchObject({ orders: 'read', account: 'read', positions: 'read', executions: 'read' });
    expect(Date.now() - (seen(page, 'orders').state.at ?? 0)).toBeLessThan(3500);
    expect(seen(page, 'links').stream).toMatchObject({ status: matching(/lost|connecting/), since: lostAt });
    expect(seen(page, 'candles').outages).toEqual([{ from: lostAt, to: null }]);
    expect(seen(page, 'exchange')).toMatchObject({ counts: { losses: aNumber } });
  });

  it('ends with the first live value, and stays known to the chart, the trades and the events', async () => {
    const page = await openPage();
    const before = seen(page, 'candles').points.length;
    sandbox.liveFault({ kind: 'cut', times: 3 });
    await wait(15_000);
    expect(statuses(page)).toMatchObject(allLive);
    expect(seen(page, 'candles')).toMatchObject({ outages: [{ to: aNumber }] });
    expect(seen(page, 'candles').points.length).toBeGreaterThanOrEqual(before);
    expect(seen(page, 'trades').list).toContainEqual(expect.objectContaining({ kind: 'gap', filledIn: aNumber }));
    const kinds = seen(page, 'exchange').events.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['lost', 'back', 'gap']));
    expect(seen(page, 'exchange').counts).toMatchObject({ losses: aNumber });
  });

  it('of the lists of open orders and of executions makes them stale, although pushes go on, and after a cut', async () => {
    const page = await openPage();
    for (const path of ['/api/v4/orders', '/api/v4/trade-account/executed-history'])
      sandbox.fault({ kind: 'status', path, status: 429, times: 1000 });
    await run(exchange.spot.placeLimitOrder(eth));
    await wait(15_000);
    expect(statuses(page)).toMatchObject({ book: 'live', orders: 'stale' });
    sandbox.liveFault({ kind: 'cut', times: 10 });
    await wait(15_000);
    expect(statuses(page)).toMatchObject({ book: 'live', orders: 'stale', executions: 'stale' });
  });

  it.each([
    ['is refused', { code: 6, times: 1000 }, 'no cut', 0],
    ['is not accepted again after a cut', { code: 5, times: 4 }, 'a page is open', 4000],
    ['was not accepted again before the page was opened', { code: 5, times: 4 }, 'a stream is open', 2000],
  ])('of the channel of executions, which %s, leaves those that requests list', async (_, refusal, at, cutMs) => {
    const openedBefore = at === 'a page is open' ? await openPage() : undefined;
    if (at === 'a stream is open') {
      opened.push(exchange.live.my.executions().subscribe());
      await wait(1000);
    }
    sandbox.liveFault({ kind: 'refuse-request', channel: 'deals', ...refusal });
    if (at !== 'no cut') sandbox.liveFault({ kind: 'cut', times: 3 });
    await wait(cutMs);
    const page = openedBefore ?? (await openPage());
    await run(exchange.spot.placeStockMarketOrder(buy));
    await wait(6000);
    expect(statuses(page)).toMatchObject({ orders: 'live', executions: 'read' });
    expect(seen(page, 'executions').list).toMatchObject([{ market: 'BTC_USDT' }]);
  });

  it('is tried at once where a reader wants it: connections and reads, at most every 5 s for all pages', async () => {
    const page = await openPage();
    sandbox.liveFault({ kind: 'refuse', times: 1000 });
    sandbox.liveFault({ kind: 'cut', times: 10 });
    sandbox.setMaintenance(true);
    const left = () => (seen(page, 'links').stream.nextAttemptAt ?? 0) - Date.now();
    for (let steps = 0; steps < 1000 && left() < 3000; steps += 1) await wait(100);
    const sent: string[] = [];
    const events = exchange.events$.subscribe((event) => {
      if (event.type === 'response') sent.push(event.endpoint);
      if (event.type === 'live-connection' && event.state.status === 'connecting') sent.push(event.connection);
    });
    expect(pages.tryNow()).toEqual({ kind: 'tried' });
    await wait(50);
    const names = ['public', 'public.tickers', 'orders.history', 'spot.balance', 'account.mainBalance'];
    expect(sent).toEqual(expect.arrayContaining(names));
    expect(sent.length).toBeLessThan(30);
    expect(pages.tryNow()).toEqual({ kind: 'refused', reason: 'The next try is possible in 5 s.' });
    await wait(4950);
    expect(pages.tryNow()).toEqual({ kind: 'tried' });
    await wait(300);
    expect(seen(page, 'exchange').events.filter(({ text }) => text.includes('tries'))).toHaveLength(2);
    events.unsubscribe();
  });

  it('of all requests makes everything stale that came before it, and the health stays true', async () => {
    const page = await openPage();
    sandbox.setMaintenance(true);
    sandbox.liveFault({ kind: 'cut', times: 10 });
    await wait(8000);
    expect(new Set(Object.values(statuses(page)))).toEqual(new Set(['stale']));
    expect(seen(page, 'links').requests).toMatchObject({ status: 'down', reason: 'unavailable: HTTP 503' });
    expect(seen(page, 'exchange').events).toContainEqual(expect.objectContaining({ kind: 'down' }));
    expect(Date.now() - (seen(page, 'links').requests.at ?? 0)).toBeLessThan(1500);
    sandbox.setMaintenance(false);
    // One connection may meet every cut: ten delays, which double up to 30 s.
    await wait(160_000);
    expect(statuses(page)).toMatchObject({ book: 'live', orders: 'live', account: 'read' });
    expect(seen(page, 'links').requests.status).toBe('up');
  });
});

describe("the account's parts", () => {
  it('show an order in every market within a second, own levels of the book, and its end', async () => {
    const page = await openPage();
    const order = await run(exchange.spot.placeLimitOrder({ ...buy, price: '59000.5', client_order_id: 'mine' }));
    expect(seen(page, 'orders').open).toMatchObject([
      {
        ...{ clientOrderId: 'mine', side: 'buy', price: '59000.5', filled: '0', average: '', status: 'open' },
        fromLast: matching(/^-1\.\d\d$/),
      },
    ]);
    expect(seen(page, 'book').bids).toContainEqual(['59000.5', '0.01', '0.01']);
    await run(exchange.spot.placeLimitOrder(eth));
    await wait(11_000);
    expect(seen(page, 'orders').open.map(({ market }) => market)).toEqual(['ETH_USDT', 'BTC_USDT']);
    await run(exchange.orders.cancel({ market: 'BTC_USDT', order_id: order.order_id }));
    await wait(6000);
    expect(seen(page, 'orders')).toMatchObject({
      open: [{ market: 'ETH_USDT' }],
      ended: [{ clientOrderId: 'mine', status: 'canceled' }],
    });
  });

  it('name the kind and the end of each order', async () => {
    const page = await openPage();
    const { spot, orders } = exchange;
    // Canceled at once, before prices move.
    const cancel = (order_id: number) => orders.cancel({ market: 'BTC_USDT', order_id });
    const canceled = (order: Parameters<typeof spot.placeLimitOrder>[0]) =>
      run(spot.placeLimitOrder(order).pipe(switchMap(({ order_id }) => cancel(order_id))));
    await canceled({ ...buy, price: '50000', postOnly: true });
    // The best level has 0.5.
    await canceled({ ...buy, amount: '0.75', price: seen(page, 'book').asks[0]?.[0] ?? '' });
    await run(spot.placeLimitOrder({ ...buy, price: '63000', ioc: true }));
    await run(spot.placeStopLimitOrder({ ...buy, price: '70000', activation_price: '69000' }));
    await run(spot.placeStopMarketOrder({ ...buy, amount: '10', activation_price: '69000' }));
    await wait(6000);
    const ended = seen(page, 'orders').ended.map(({ status, flags }) => [status, flags]);
    expect(ended.toReversed()).toEqual([
      ['canceled', ['post']],
      ['partly filled, canceled', []],
      ['filled', ['ioc']],
    ]);
    expect(seen(page, 'orders').open).toMatchObject([
      { type: 'stop market', price: '', activationPrice: '69000' },
      { type: 'stop limit', price: '70000', activationPrice: '69000' },
    ]);
    // Neither is in the book before its trigger.
    expect(seen(page, 'book').bids.filter((level) => level.length === 3)).toEqual([]);
  });

  it('show executions, also as marks of the trades, and positions with their profit, with a mark price or without', async () => {
    const page = await openPage();
    await run(exchange.spot.placeStockMarketOrder(buy));
    const [execution] = seen(page, 'executions').list;
    expect(execution).toMatchObject({ ...buy, role: 'taker', feeAsset: 'USDT' });
    expect(seen(page, 'executions').today).toEqual({ count: 1, isAtLeast: false });
    expect(seen(page, 'trades').list).toContainEqual(expect.objectContaining({ id: execution?.id, isOwn: true }));
    await run(exchange.collateral.placeMarketOrder(short('0.5')));
    await wait(2000);
    const profit = matching(/^[+-]\d+\.\d\d$/);
    expect(seen(page, 'positions')).toMatchObject({
      list: [{ market: 'BTC_PERP', side: 'short', amount: '0.5', mark: matching(/\d/), pnl: profit }],
      pnl: [{ currency: 'USDT', amount: profit }],
    });
    // While no mark price is pushed, the profit is that of the exchange.
    sandbox.liveFault({ kind: 'refuse', times: 1000 });
    sandbox.liveFault({ kind: 'cut', times: 10 });
    await wait(6000);
    expect(seen(page, 'positions').list).toMatchObject([{ mark: '', value: '', away: '', pnl: matching(/\d/) }]);
  });

  it('show the leverage of the account beside positions, and none that may be an old one', async () => {
    await run(exchange.collateral.setLeverage({ leverage: 5 }));
    const page = await openPage();
    const path = '/api/v4/collateral-account/summary';
    expect(sandbox.ledger.requests.filter((request) => request.path === path)).toEqual([]);
    await run(exchange.collateral.placeMarketOrder({ market: 'BTC_PERP', side: 'buy', amount: '0.1' }));
    await wait(2000);
    expect(seen(page, 'positions').list).toMatchObject([{ leverage: '5' }]);
    sandbox.fault({ kind: 'status', path, times: 1 });
    await wait(11_000);
    expect(seen(page, 'positions').list).toMatchObject([{ leverage: '' }]);
    await wait(11_000);
    expect(seen(page, 'positions').list).toMatchObject([{ leverage: '5' }]);
  });

  it('value a margin position at the last price, and each side in hedge mode', async () => {
    const page = await openPage();
    await run(exchange.collateral.setHedgeMode({ hedgeMode: true }));
    await run(exchange.collateral.placeMarketOrder({ ...buy, positionSide: 'LONG' }));
    await run(exchange.collateral.placeMarketOrder({ ...short('0.5'), positionSide: 'SHORT' }));
    await wait(6000);
    const { list } = seen(page, 'positions');
    expect(list.toSorted((one, other) => (one.market < other.market ? -1 : 1))).toMatchObject([
      { market: 'BTC_PERP', side: 'short', amount: '0.5', pnl: signedAmount, liquidation: matching(/\d/) },
      { market: 'BTC_USDT', side: 'long', amount: '0.01', pnl: signedAmount },
    ]);
  });

  it('value the wallets in a currency, and say what has no price in it', async () => {
    sandbox.account().deposit('XLM', '100', 'main');
    const page = await openPage({ currency: 'BTC' });
    const { value, notValued, wallets } = seen(page, 'account');
    expect(notValued).toContain('XLM');
    expect(value).toMatch(/^\d+\.\d{8}$/);
    const bitcoins = { asset: 'BTC', amount: '100', inOrders: '0', value: '100.00000000' };
    expect(wallets[0]?.assets).toContainEqual(expect.objectContaining(bitcoins));
    sandbox.account().deposit('BTC', '2', 'main');
    await wait(6000);
    expect(seen(page, 'account').change?.amount).toMatch(/^\+[12]\./);
    expect(seen(page, 'equity').points.length).toBe(1);
  });

  it('show an order in doubt until it is decided', async () => {
    const page = await openPage();
    sandbox.fault({ kind: 'reset', path: '/api/v4/order/new', times: 1 });
    sandbox.fault({ kind: 'status', path: '/api/v4/orders', times: 1000 });
    sandbox.fault({ kind: 'status', path: '/api/v4/trade-account/order/history', times: 1000 });
    const lost = failureOf(exchange.spot.placeLimitOrder({ ...buy, price: '50000', client_order_id: 'lost' }));
    await wait(2000);
    expect(seen(page, 'orders').inDoubt).toMatchObject([
      { clientOrderId: 'lost', phase: 'looking-up', side: 'buy', price: '50000', amount: '0.01' },
    ]);
    await wait(10_000);
    await lost;
    expect(seen(page, 'orders').inDoubt).toMatchObject([{ clientOrderId: 'lost', phase: 'unknown' }]);
    const doubt = { kind: 'doubt', text: 'lost: outcome unknown' };
    expect(seen(page, 'exchange').events).toContainEqual(expect.objectContaining(doubt));
  });
});
