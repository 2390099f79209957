// Identifiers of the user's own, used more than once: an order is told its own result or none, whatever else had its identifier.
import { createExchange, defineEndpoint, limitGroups, type ExchangeOptions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { mergeMap, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { OrderIdentifiers } from '../src/order-identifiers.js';
import { watch } from './support/watch.js';
import { withoutIdentifiers } from './support/without-identifiers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const market = 'BTC_USDT';
const path = '/api/v4/order/stock_market';
const limitPath = '/api/v4/order/collateral/limit';
const mine = { market, client_order_id: 'mine' };

function setup(options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  return {
    sandbox,
    exchange,
    buy: (amount: string) => exchange.spot.placeStockMarketOrder({ ...mine, side: 'buy', amount }),
    bid: (amount: string, price: string) => exchange.collateral.placeLimitOrder({ ...mine, side: 'buy', amount, price }),
    amounts: () => sandbox.ledger.orders.map(({ amount }) => amount),
  };
}

/** What comes within a second. */
async function soon(source: Observable<unknown>): Promise<unknown[]> {
  const told = watch(source);
  await vi.advanceTimersByTimeAsync(1000);
  return told;
}

/** Waits until it is decided. */
const decided = () => vi.advanceTimersByTimeAsync(45_000);
const placed = async (order$: Observable<unknown>) => {
  const told = watch(order$);
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toMatchObject([{ client_order_id: 'mine' }]);
};

describe('an order whose answer is lost, of an identifier that had another', () => {
  it.each([0, 1000, 1900])('is not told the other’s result: filled %i ms before', async (gapMs) => {
    const { sandbox, buy, amounts } = setup();
    await placed(buy('0.01'));
    await vi.advanceTimersByTimeAsync(gapMs);
    sandbox.fault({ kind: 'reset', path });
    const told = watch(buy('0.5'));
    await decided();
    expect(told).toMatchObject([{ outcome: 'unknown', client_order_id: 'mine' }]);
    expect(amounts()).toEqual(['0.01']);
  });

  it('is not told the other’s result: equal', async () => {
    const { sandbox, buy } = setup();
    await placed(buy('0.01'));
    sandbox.fault({ kind: 'reset', path });
    const told = watch(buy('0.01'));
    await decided();
    expect(told).toMatchObject([{ outcome: 'unknown' }]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it('is not told the other’s result: canceled, and of another price', async () => {
    const { sandbox, exchange, bid, amounts } = setup();
    await placed(bid('0.01', '50000'));
    watch(exchange.spot.cancelOrder({ market, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path: limitPath });
    const told = watch(bid('0.3', '41000'));
    await decided();
    expect(told).toMatchObject([{ outcome: 'unknown' }]);
    expect(amounts()).toEqual(['0.01']);
  });

  it('is not told the other’s result: open still, and of another endpoint', async () => {
    const { sandbox, bid, buy, amounts } = setup();
    await placed(bid('1', '50000'));
    sandbox.fault({ kind: 'reset', path });
    const told = watch(buy('0.01'));
    await decided();
    expect(told).toMatchObject([{ outcome: 'unknown' }]);
    expect(amounts()).toEqual(['1']);
  });

  it('is found when it was executed', async () => {
    const { sandbox, buy } = setup();
    await placed(buy('0.01'));
    sandbox.fault({ kind: 'reset', path, executed: true });
    const told = watch(buy('0.5'));
    await decided();
    expect(told).toMatchObject([{ amount: '0.5', status: 'FILLED' }]);
  });
});

describe('an order that is asked for beside who placed it', () => {
  it('is not proven absent while it waits to be sent', async () => {
    const { exchange, buy } = setup({ limits: { stockMarket: { limit: 1, windowMs: 25_000 } } });
    await placed(buy('0.01'));
    const queued = watch(exchange.spot.placeStockMarketOrder({ market, client_order_id: 'queued', side: 'buy', amount: '0.02' }));
    const resumed = watch(exchange.resumeOrder('queued', market));
    await decided();
    expect(queued).toMatchObject([{ amount: '0.02' }]);
    expect(resumed).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('is proven absent when nobody waits for it any more, in words that say where', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    sandbox.fault({ kind: 'hang', path });
    const leaving = buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(500);
    leaving.unsubscribe();
    const resumed = watch(exchange.resumeOrder('mine', market));
    await decided();
    expect(resumed).toMatchObject([{ kind: 'not-placed', message: expect.stringContaining('none in BTC_USDT with the identifier mine') as string }]);
    expect(amounts()).toEqual([]);
  });

  it.each([
    ['of an identifier of one’s own', { client_order_id: 'mine' }],
    ['of one that was made for it', {}],
  ])('is told to both: %s', async (_, identifier) => {
    const { sandbox, exchange } = setup();
    sandbox.fault({ kind: 'hang', path, executed: true });
    const order$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', ...identifier });
    const leaving = order$.subscribe();
    await vi.advanceTimersByTimeAsync(100);
    leaving.unsubscribe();
    const [resumed] = await soon(exchange.resumeOrder(sandbox.ledger.orders[0]?.client_order_id ?? '', market));
    expect(await soon(order$)).toMatchObject([{ amount: '0.01', order_id: (resumed as { order_id: number }).order_id }]);
  });
});

describe('orders of one identifier', () => {
  it('one after the other are each told their own, also from within the one before', async () => {
    const { buy, amounts } = setup();
    expect(await soon(buy('0.01').pipe(mergeMap(() => buy('0.02'))))).toMatchObject([{ amount: '0.02' }]);
    expect(amounts()).toEqual(['0.01', '0.02']);
  });

  it('are told apart however often one is subscribed to, and however late', async () => {
    const { sandbox, buy } = setup();
    const first = buy('0.01');
    await placed(first);
    sandbox.fault({ kind: 'reset', path });
    const second = buy('0.5');
    const lost = watch(second);
    await decided();
    expect(lost).toMatchObject([{ outcome: 'unknown' }]);
    await vi.advanceTimersByTimeAsync(600_000);
    const lostStill = watch(second);
    await decided();
    expect(lostStill).toMatchObject([{ outcome: 'unknown' }]);
    expect(watch(first)).toMatchObject([{ amount: '0.01' }]);
  });
});

describe('what is known of identifiers', () => {
  const key = (client_order_id = 'mine') => ({ market, client_order_id });

  it('an order of the exchange is one caller’s, by market, identifier and number; without a number nobody’s', () => {
    const identifiers = new OrderIdentifiers();
    const order = key();
    identifiers.tell(order, 1);
    identifiers.tell(order, undefined);
    expect([order, key(), key('other'), { ...key(), market: 'ETH_USDT' }].map((one) => identifiers.isAnothers(one, 1))).toEqual([false, true, false, false]);
    expect([identifiers.isAnothers(key(), 2), identifiers.isAnothers(key(), undefined)]).toEqual([false, false]);
  });

  it('of those that were told, fifty thousand are remembered', () => {
    const identifiers = new OrderIdentifiers();
    for (let id = 0; id <= 50_000; id += 1) identifiers.tell(mine, id);
    expect([0, 1, 50_000].map((id) => identifiers.isAnothers(key(), id))).toEqual([false, true, true]);
  });

  it('one is awaited as long as anyone waits for an order of it', () => {
    const identifiers = new OrderIdentifiers();
    const leave = [identifiers.wait(key()), identifiers.wait(key())];
    leave[0]?.();
    expect([identifiers.isAwaited(key()), identifiers.isAwaited(key('other'))]).toEqual([true, false]);
    leave[1]?.();
    expect(identifiers.isAwaited(key())).toBe(false);
  });
});

describe('an order observable that is subscribed to for a short time, again and again', () => {
  it('is decided all the same: what was looked for before counts', async () => {
    const { sandbox, buy, amounts } = setup({ callTimeoutMs: 1900 });
    sandbox.fault({ kind: 'reset', path });
    const order$ = buy('0.01');
    const told: unknown[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      told.push(...watch(order$));
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(told.at(-1)).toMatchObject({ amount: '0.01' });
    expect(amounts()).toEqual(['0.01']);
  });

  it('looks anew for what was sent again: what was looked for before proves nothing of that', async () => {
    const { sandbox, buy, amounts } = setup();
    sandbox.fault({ kind: 'reset', path });
    sandbox.fault({ kind: 'late', path, delayMs: 1500 });
    const told = watch(buy('0.01'));
    await decided();
    expect(told).toMatchObject([{ amount: '0.01' }]);
    expect(amounts()).toEqual(['0.01']);
  });
});

it('an answer that does not bear the identifier takes the proof from every order that is looked for', async () => {
  const { sandbox } = setup();
  const forgetful = createExchange({ ...sandbox.clientOptions(), fetch: withoutIdentifiers(sandbox.fetch) });
  watch(forgetful.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }));
  await vi.advanceTimersByTimeAsync(100);
  sandbox.fault({ kind: 'reset', path });
  const told = watch(forgetful.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.5' }));
  const resumed = watch(forgetful.resumeOrder('earlier', market));
  await decided();
  expect([...told, ...resumed]).toMatchObject([{ outcome: 'unknown' }, { endpoint: 'resumeOrder', outcome: 'unknown' }]);
});

it('an order endpoint whose answers do not bear the identifier takes the proof from its own orders, and from what is resumed', async () => {
  const { sandbox, exchange, buy, amounts } = setup();
  const own = defineEndpoint({
    name: 'own',
    method: 'POST',
    path,
    group: limitGroups.stockMarket,
    authentication: 'signed',
    safety: 'order',
    request: v.object({ market: v.string(), side: v.string(), amount: v.string() }),
    response: v.looseObject({ market: v.string() }),
  });
  watch(exchange.call(own, { market, side: 'buy', amount: '0.02' }));
  await vi.advanceTimersByTimeAsync(100);
  sandbox.fault({ kind: 'reset', path });
  const told = watch(buy('0.01'));
  const resumed = watch(exchange.resumeOrder('earlier', market));
  await decided();
  expect(told).toMatchObject([{ amount: '0.01' }]);
  expect(amounts()).toEqual(['0.02', '0.01']);
  expect(resumed).toMatchObject([{ endpoint: 'resumeOrder', outcome: 'unknown' }]);
});
