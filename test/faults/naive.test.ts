// What the usual choice costs: to send an order again, with the same identifier, as soon as its response is lost. A
// client of this package refuses the identifier, so the second request is sent by another client.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, defer, throwError, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commonFaultKinds } from '../../src/sandbox/faults/fault.js';
import { audit, learn } from './audit.js';
import { faultOf } from '../support/fault-of.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const path = '/api/v4/order/stock_market';

/** An order by its identifier, and again by the same when anything goes wrong. */
function naively(client: () => Exchange, client_order_id: string): Observable<Order> {
  const place = () =>
    client().spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id });
  return defer(place).pipe(
    catchError((error: unknown) => (error instanceof Error ? place() : throwError(() => error))),
  );
}

/** Runs every fault against a way of placing an order; returns how many orders were doubled. */
async function doubledBy(
  place: (client: () => Exchange, client_order_id: string) => Observable<Order>,
  lookupTimeoutMs: number,
): Promise<number> {
  let doubled = 0;
  for (const kind of commonFaultKinds) {
    for (const executed of [false, true]) {
      const sandbox = createSandbox({ volatility: 0 });
      sandbox.fault(faultOf(kind, { executed, path, delayMs: 500 }));
      const client = () =>
        createExchange({ ...sandbox.clientOptions(), timeoutMs: 400, retry: false, lookupTimeoutMs });
      learn(place(client, `${kind}-${String(executed)}`), '0.01');
      await vi.advanceTimersByTimeAsync(30_000);
      doubled += audit(sandbox, []).doubled;
    }
  }
  return doubled;
}

describe('20 orders, each of which meets a fault', () => {
  it('are doubled by a blind retry with the same identifier, because the exchange accepts the identifier of a filled order', async () => {
    expect(await doubledBy(naively, 0)).toBe(10);
  });

  it('are not doubled by an order observable with the same retries', async () => {
    const once = (client: () => Exchange, client_order_id: string) => {
      const order$ = client().spot.placeStockMarketOrder({
        market: 'BTC_USDT',
        side: 'buy',
        amount: '0.01',
        client_order_id,
      });
      return order$.pipe(catchError(() => order$));
    };
    expect(await doubledBy(once, 20_000)).toBe(0);
  });
});
