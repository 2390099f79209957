// How an order is looked for: among the open ones, then among those that have ended; and what is no answer is no proof.
import { ApiError, TransportError, type Call } from 'exchange-rx';
import { lastValueFrom, of, throwError, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderLookUp } from '../../src/endpoints/spot/look-up-order.js';

const key = { market: 'BTC_USDT', client_order_id: 'mine' };
const order = { ...key, order_id: 1, side: 'buy', type: 'limit', timestamp: 1_795_000_000.5, amount: '1', deal_stock: '1', deal_money: '2', deal_fee: '0', status: 'FILLED' };
const answer = { status: 422, code: 30, exchangeMessage: undefined, errors: {}, body: undefined };
const refusal = (reason: 'order-not-found' | 'other') => new ApiError(answer, reason, { endpoint: 'orderHistory', outcome: 'rejected' });
const lost = new TransportError('lost', { endpoint: 'orderHistory', outcome: 'unknown' });

/** What is found when the exchange answers so. */
function found(answers: Readonly<Record<string, Observable<unknown>>>, since = 0): Promise<unknown[]> {
  const asked: unknown[] = [];
  const call = ((endpoint: { readonly name: string }, params: unknown) => {
    asked.push(params);
    return answers[endpoint.name] ?? throwError(() => new Error(`${endpoint.name} was asked`));
  }) as Call;
  return lastValueFrom(orderLookUp.find(call, key, () => since).pipe(toArray())).finally(() => {
    for (const params of asked) expect(params).toEqual(key);
  });
}

describe('an order', () => {
  it('that is open is found, and the history is not asked', async () => {
    expect(await found({ openOrders: of([order]), orderHistory: of({}) })).toEqual([order]);
  });

  it('that has ended is found in the history of its market', async () => {
    expect(await found({ openOrders: of([]), orderHistory: of({ ETH_USDT: [{ ...order, market: 'ETH_USDT', order_id: 2 }], BTC_USDT: [order] }) })).toMatchObject([{ order_id: 1, left: '0' }]);
  });

  it.each([
    ['the history has none', of({})],
    ['the history has none of its market', of({ BTC_USDT: [] })],
    ['the exchange says that it is not in the history', throwError(() => refusal('order-not-found'))],
  ])('is nowhere when %s', async (_, orderHistory) => {
    expect(await found({ openOrders: of([]), orderHistory })).toEqual([]);
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

  it.each([
    [1_795_000_000_500, 1],
    [1_795_000_000_501, 0],
  ])('that was placed before the time that is asked for, %i, is another', async (since, count) => {
    expect(await found({ openOrders: of([order]), orderHistory: of({}) }, since)).toHaveLength(count);
  });
});

it('the exchange’s clock is read by its time', async () => {
  const call = ((endpoint: { readonly name: string }) => of(endpoint.name)) as unknown as Call;
  expect(await lastValueFrom(orderLookUp.readClock(call))).toBe('serverTime');
});
