// Identifiers of the user's own, used more than once: an order is told its own result or none, whatever else had its identifier.
import { createExchange, defineEndpoint, limitGroups, type ExchangeOptions } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { mergeMap, Subject, takeUntil, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { OrderIdentifiers } from '../src/order-identifiers.js';

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

/** Subscribes, and keeps what comes. */
function watch(source: Observable<unknown>): unknown[] {
  const told: unknown[] = [];
  source.subscribe({ next: (value) => told.push(value), error: (error: unknown) => told.push(error) });
  return told;
}

async function firstOf(source: Observable<unknown>): Promise<unknown> {
  const told = watch(source);
  await vi.advanceTimersByTimeAsync(100);
  return told[0];
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

describe('an identifier', () => {
  it('is refused while another order of it is waited for, and free when that is placed', async () => {
    const { sandbox, buy, amounts } = setup();
    sandbox.fault({ kind: 'slow', path, delayMs: 2000 });
    const first = watch(buy('0.01'));
    await vi.advanceTimersByTimeAsync(1000);
    const second = buy('0.02');
    expect(watch(second)).toMatchObject([{ kind: 'request', outcome: 'not-sent', issues: [{ field: 'client_order_id' }] }]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(first).toMatchObject([{ amount: '0.01' }]);
    await placed(second);
    expect(amounts()).toEqual(['0.01', '0.02']);
  });

  it('is refused while it is not known what became of an order of it, which a new one would double', async () => {
    const { sandbox, buy, amounts } = setup({ callTimeoutMs: 150 });
    sandbox.fault({ kind: 'hang', path, executed: true });
    const first = buy('0.01');
    const told = watch(first);
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toMatchObject([{ kind: 'timeout', outcome: 'unknown' }]);
    expect(watch(buy('0.01'))).toMatchObject([{ kind: 'request', issues: [{ field: 'client_order_id' }] }]);
    await placed(first);
    await placed(buy('0.02'));
    expect(amounts()).toEqual(['0.01', '0.02']);
  });

  it('is refused after its subscriber left, and free again when resumeOrder has found what became of it', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    sandbox.fault({ kind: 'slow', path, delayMs: 1000 });
    const leaving = buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(500);
    leaving.unsubscribe();
    expect(watch(buy('0.02'))).toMatchObject([{ kind: 'request', issues: [{ field: 'client_order_id' }] }]);
    await placed(exchange.resumeOrder('mine', market));
    await placed(buy('0.02'));
    expect(amounts()).toEqual(['0.01', '0.02']);
  });

  it('is free again when resumeOrder has proven that there is none', async () => {
    const { sandbox, exchange, buy, amounts } = setup({ callTimeoutMs: 15_000 });
    sandbox.fault({ kind: 'hang', path });
    const leaving = buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(500);
    leaving.unsubscribe();
    const resumed = watch(exchange.resumeOrder('mine', market));
    await decided();
    expect(resumed).toMatchObject([{ kind: 'not-placed', message: expect.stringContaining('none in BTC_USDT with the identifier mine') as string }]);
    await placed(buy('0.02'));
    expect(amounts()).toEqual(['0.02']);
  });

  it('is free when its order was refused, or was left before it was sent', async () => {
    const { buy, amounts } = setup({ limits: { stockMarket: { limit: 1, windowMs: 2000 } } });
    expect(await firstOf(buy('1000000'))).toMatchObject({ outcome: 'rejected' });
    buy('0.02').subscribe().unsubscribe();
    const told = watch(buy('0.01'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(told).toMatchObject([{ amount: '0.01' }]);
    expect(amounts()).toEqual(['0.01']);
  });

  it('is no other order’s for the observable that placed it: it replays what it came to, whoever has the identifier now', async () => {
    const { sandbox, buy, amounts } = setup();
    const first = buy('0.01');
    await placed(first);
    sandbox.fault({ kind: 'slow', path, delayMs: 2000 });
    watch(buy('0.02'));
    await vi.advanceTimersByTimeAsync(500);
    expect(watch(first)).toMatchObject([{ amount: '0.01' }]);
    await decided();
    expect(amounts()).toEqual(['0.01', '0.02']);
  });

  it('proves nothing to resumeOrder while an order of it waits to be sent', async () => {
    const { exchange, buy } = setup({ limits: { stockMarket: { limit: 1, windowMs: 25_000 } } });
    await placed(buy('0.01'));
    const queued = watch(exchange.spot.placeStockMarketOrder({ market, client_order_id: 'queued', side: 'buy', amount: '0.02' }));
    const resumed = watch(exchange.resumeOrder('queued', market));
    await decided();
    expect(queued).toMatchObject([{ amount: '0.02' }]);
    expect(resumed).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('is free for the next order as soon as one is told, in the middle of it too', async () => {
    const { buy, amounts } = setup();
    const second: unknown[] = [];
    buy('0.01').subscribe({ next: () => second.push(...watch(buy('0.02'))), complete: () => undefined });
    await vi.advanceTimersByTimeAsync(100);
    const chained = watch(buy('0.03').pipe(mergeMap(() => buy('0.04'))));
    await vi.advanceTimersByTimeAsync(100);
    expect([second, chained]).toMatchObject([[], [{ amount: '0.04' }]]);
    expect(amounts()).toEqual(['0.01', '0.02', '0.03', '0.04']);
  });

  it('is free when its order was left between two attempts, of which none was executed', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    sandbox.unavailable({ path, times: 1 });
    const stop$ = new Subject<void>();
    exchange.spot
      .placeStockMarketOrder({ ...mine, side: 'buy', amount: '0.01' }, { onEvent: ({ type }) => { if (type === 'retry') stop$.next(); } })
      .pipe(takeUntil(stop$))
      .subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    await placed(buy('0.02'));
    expect(amounts()).toEqual(['0.02']);
  });

  it('is not freed by an earlier order that resumeOrder finds, while the later one is on its way', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    const earlier = createExchange(sandbox.clientOptions());
    await placed(earlier.spot.placeStockMarketOrder({ ...mine, side: 'buy', amount: '0.03' }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    sandbox.fault({ kind: 'late', path, delayMs: 1500 });
    const leaving = buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(50);
    leaving.unsubscribe();
    expect(await firstOf(exchange.resumeOrder('mine', market))).toMatchObject({ amount: '0.03' });
    expect(await firstOf(buy('0.01'))).toMatchObject({ kind: 'request', issues: [{ field: 'client_order_id' }] });
    await decided();
    expect(amounts()).toEqual(['0.03', '0.01']);
  });

  it('is not freed by resumeOrder, which proves nothing of what was sent since it was asked', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    const resumed = watch(exchange.resumeOrder('mine', market));
    await vi.advanceTimersByTimeAsync(7900);
    sandbox.fault({ kind: 'late', path, delayMs: 2600 });
    const leaving = buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(100);
    leaving.unsubscribe();
    await vi.advanceTimersByTimeAsync(2300);
    expect(resumed).toMatchObject([{ kind: 'not-placed' }]);
    expect(await firstOf(buy('0.01'))).toMatchObject({ kind: 'request' });
    await decided();
    expect(amounts()).toEqual(['0.01']);
  });

  it('told by resumeOrder is no later order’s result, and is still that of the order that was in doubt', async () => {
    const { sandbox, exchange, buy, amounts } = setup();
    sandbox.fault({ kind: 'hang', path, executed: true });
    const first = buy('0.01');
    const leaving = first.subscribe();
    await vi.advanceTimersByTimeAsync(100);
    leaving.unsubscribe();
    expect(await firstOf(exchange.resumeOrder('mine', market))).toMatchObject({ amount: '0.01' });
    sandbox.fault({ kind: 'reset', path });
    const second = watch(buy('0.5'));
    await decided();
    expect(second).toMatchObject([{ outcome: 'unknown' }]);
    expect(amounts()).toEqual(['0.01']);
  });

  it('is found by its order though resumeOrder, asked beside it, was told first', async () => {
    const { sandbox, exchange, buy } = setup();
    sandbox.fault({ kind: 'hang', path, executed: true });
    const told = watch(buy('0.01'));
    await vi.advanceTimersByTimeAsync(100);
    expect(await firstOf(exchange.resumeOrder('mine', market))).toMatchObject({ amount: '0.01' });
    await decided();
    expect(told).toMatchObject([{ amount: '0.01' }]);
  });
});

describe('what is known of identifiers', () => {
  const key = (client_order_id = 'mine') => ({ market, client_order_id });
  const sending = { at: 1000, atExchange: 5000 };

  it('an order has its identifier while any of those who wait for it does, or while it is in doubt', () => {
    const identifiers = new OrderIdentifiers();
    const [order, other] = [key(), key()];
    expect([identifiers.take(order), identifiers.take(order), identifiers.take(other)]).toEqual([true, true, false]);
    identifiers.leave(order);
    expect([identifiers.isAwaited(other), identifiers.take(other)]).toEqual([true, false]);
    identifiers.sent(order, sending);
    identifiers.leave(order);
    expect([identifiers.isAwaited(other), identifiers.take(other)]).toEqual([false, false]);
    identifiers.leave(other);
    identifiers.isNowhere(other);
    expect(identifiers.take(other)).toBe(false);
    identifiers.isNowhere(order);
    expect(identifiers.take(other)).toBe(true);
  });

  it('who asks is told nowhere: that frees what nobody waits for, and was sent before', () => {
    const identifiers = new OrderIdentifiers();
    const [order, other] = [key(), key()];
    identifiers.take(order);
    identifiers.sent(order, sending);
    identifiers.tellNowhere(key(), 2000);
    identifiers.leave(order);
    expect(identifiers.take(other)).toBe(false);
    identifiers.tellNowhere(key(), 1000);
    expect(identifiers.take(other)).toBe(false);
    identifiers.tellNowhere(key(), 1001);
    expect(identifiers.take(other)).toBe(true);
  });

  it('who asks is told an order: it is that in doubt, whoever waits for it, unless it was placed before that was sent', () => {
    const identifiers = new OrderIdentifiers();
    const [order, other] = [key(), key()];
    identifiers.take(order);
    identifiers.sent(order, sending);
    identifiers.tellAsked(key(), 1, 2999, 2000);
    identifiers.tellAsked(key(), 2, 3000, 2000);
    expect([1, 2].map((id) => identifiers.isAnothers(order, id))).toEqual([true, false]);
    expect(identifiers.take(other)).toBe(false);
    identifiers.leave(order);
    identifiers.tellAsked(key(), 1, 2999, 2000);
    expect(identifiers.take(other)).toBe(false);
    identifiers.tellAsked(key(), 3, 3000, 2000);
    expect([identifiers.isAnothers(order, 3), identifiers.isAnothers(other, 3), identifiers.take(other)]).toEqual([false, true, true]);
  });

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
  const forgetful = createExchange({
    ...sandbox.clientOptions(),
    fetch: async (input, init) => {
      const answer = await sandbox.fetch(input, init);
      return new Response((await answer.text()).replace(/"clientOrderId":"[^"]*"/, '"clientOrderId":""'), answer);
    },
  });
  watch(forgetful.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }));
  await vi.advanceTimersByTimeAsync(100);
  sandbox.fault({ kind: 'reset', path });
  const told = watch(forgetful.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.5' }));
  await decided();
  expect(told).toMatchObject([{ outcome: 'unknown' }]);
});

it('an order endpoint whose answers do not bear the identifier takes the proof from its own orders only', async () => {
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
  await decided();
  expect(told).toMatchObject([{ amount: '0.01' }]);
  expect(amounts()).toEqual(['0.02', '0.01']);
});
