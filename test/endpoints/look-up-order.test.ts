// How an order is looked for: among the open ones, then among those that have ended; and what is no answer is no proof.
import { ApiError, TransportError, type Call } from 'exchange-rx';
import { lastValueFrom, of, throwError, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderLookUp } from '../../src/endpoints/spot/look-up-order.js';

const key = { market: 'BTC_USDT', client_order_id: 'mine' };
const order = { ...key, order_id: 1, side: 'buy', type: 'limit', timestamp: 1_795_000_000.5, amount: '1', deal_stock: '1', deal_money: '2', deal_fee: '0', status: 'FILLED' };
const answer = { status: 422, code: 30, exchangeMessage: undefined, errors: { orderHistory: ['Order history not found.'] }, body: undefined };
const refusal = (reason: 'order-not-found' | 'other', changed: Partial<typeof answer> = {}) =>
  new ApiError({ ...answer, ...changed }, reason, { endpoint: 'orderHistory', outcome: 'rejected' });
const notFound = throwError(() => refusal('order-not-found'));
const undecided = { kind: 'response', outcome: 'unknown' };
const lost = new TransportError('lost', { endpoint: 'orderHistory', outcome: 'unknown' });

/** What is found when the exchange answers so. */
function found(answers: Readonly<Record<string, Observable<unknown>>>, since = 0, side?: string): Promise<unknown[]> {
  const asked: unknown[] = [];
  const call = ((endpoint: { readonly name: string }, params: unknown) => {
    asked.push(params);
    return answers[endpoint.name] ?? throwError(() => new Error(`${endpoint.name} was asked`));
  }) as Call;
  return lastValueFrom(orderLookUp.find(call, side === undefined ? key : { ...key, side }, () => since).pipe(toArray())).finally(() => {
    for (const params of asked) expect(params).toEqual(key);
  });
}

describe('an order', () => {
  it('that is open is found, and the history is not asked', async () => {
    expect(await found({ openOrders: of([order]), orderHistory: of({}) })).toEqual([order]);
  });

  it('that has ended is found in the history of its market', async () => {
    expect(await found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [order] }) })).toMatchObject([{ order_id: 1, left: '0' }]);
  });

  it('is the newest of those that had its identifier', async () => {
    const older = { ...order, order_id: 2, timestamp: order.timestamp - 86_400 };
    expect(await found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [older, order] }) })).toMatchObject([{ order_id: 1 }]);
    expect(await found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [order, older] }) })).toMatchObject([{ order_id: 1 }]);
  });

  it('is nowhere when no order is open and the exchange says that it is not in the history', async () => {
    expect(await found({ openOrders: of([]), orderHistory: notFound })).toEqual([]);
  });

  it.each([
    ['{}', {}],
    ['a market without orders', { BTC_USDT: [] }],
  ])('may be anywhere when the history answers %s: where there is no order, it refuses', async (_, history) => {
    await expect(found({ openOrders: of([]), orderHistory: of(history) })).rejects.toMatchObject({ ...undecided, message: expect.stringContaining('a history that does not tell') as string });
  });

  it.each([
    ['fails as it does', { status: 500 }],
    ['is not found', { status: 404 }],
    ['has another fault in the request', { errors: { orderHistory: ['Order history not found.'], market: ['Market is not available.'] } }],
  ])('may be anywhere when the history %s, with the words of an order that is not there', async (_, changed) => {
    const history = throwError(() => refusal('order-not-found', changed));
    await expect(found({ openOrders: of([]), orderHistory: history })).rejects.toMatchObject({ reason: 'order-not-found' });
  });

  it.each([
    ['another market', { ETH_USDT: [{ ...order, market: 'ETH_USDT' }] }],
    ['another identifier', { BTC_USDT: [{ ...order, client_order_id: 'other' }] }],
  ])('may be anywhere when the history answers orders of %s, which were not asked for', async (_, history) => {
    await expect(found({ openOrders: of([]), orderHistory: of(history) })).rejects.toMatchObject({ kind: 'response', outcome: 'unknown' });
  });

  it.each([
    ['refuses otherwise', refusal('other')],
    ['is not reached', lost],
  ])('may be anywhere when the exchange %s', async (_, error) => {
    await expect(found({ openOrders: of([]), orderHistory: throwError(() => error) })).rejects.toBe(error);
    await expect(found({ openOrders: throwError(() => error) })).rejects.toBe(error);
  });

  const placedMs = order.timestamp * 1000;

  it('is found from the time on that is asked for', async () => {
    expect(await found({ openOrders: of([order]), orderHistory: notFound }, placedMs)).toHaveLength(1);
  });

  it.each([1, 5000, 60_000])('may be one that was placed %i ms before that time, by a clock that is behind', async (earlierMs) => {
    await expect(found({ openOrders: of([order]), orderHistory: notFound }, placedMs + earlierMs)).rejects.toMatchObject(undecided);
    await expect(found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [order] }) }, placedMs + earlierMs)).rejects.toMatchObject(undecided);
  });

  it('is another than one that was placed more than a minute before', async () => {
    expect(await found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [order] }) }, placedMs + 60_001)).toEqual([]);
  });

  it('may be one that is open and was placed before: while it is, another cannot have its identifier', async () => {
    await expect(found({ openOrders: of([order]), orderHistory: notFound }, placedMs + 3_600_000)).rejects.toMatchObject({ ...undecided, message: expect.stringContaining('open orders that may be it') as string });
  });

  it('may be behind a page that is full of others of its identifier', async () => {
    const page = Array.from({ length: 50 }, () => order);
    await expect(found({ openOrders: of([]), orderHistory: of({ BTC_USDT: page }) }, placedMs + 60_001)).rejects.toMatchObject(undecided);
  });

  it.each([0, 1_795_000_000_500, Number.NaN])('may be one whose time can be none: %d', async (timestamp) => {
    const timeless = { ...order, timestamp };
    await expect(found({ openOrders: of([timeless]), orderHistory: notFound }, placedMs)).rejects.toMatchObject(undecided);
    await expect(found({ openOrders: of([]), orderHistory: of({ BTC_USDT: [timeless] }) }, placedMs)).rejects.toMatchObject(undecided);
  });

  it('may be one of several of its identifier, if not all of them were surely placed before', async () => {
    const dayBefore = { ...order, order_id: 2, timestamp: order.timestamp - 86_400 };
    const answers = { openOrders: of([]), orderHistory: of({ BTC_USDT: [dayBefore, order] }) };
    await expect(found(answers, placedMs + 5000)).rejects.toMatchObject(undecided);
    expect(await found(answers, placedMs + 120_000)).toEqual([]);
  });

  it('of the other side is not it, and no proof', async () => {
    await expect(found({ openOrders: of([order]), orderHistory: notFound }, placedMs, 'sell')).rejects.toMatchObject(undecided);
    expect(await found({ openOrders: of([order]), orderHistory: notFound }, placedMs, 'buy')).toHaveLength(1);
  });
});

it('the exchange’s clock is read by its time', async () => {
  const call = ((endpoint: { readonly name: string }) => of(endpoint.name)) as unknown as Call;
  expect(await lastValueFrom(orderLookUp.readClock(call))).toBe('serverTime');
});
