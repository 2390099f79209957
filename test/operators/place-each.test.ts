// One order for each intent: its outcome is a value, and a failed order does not end the others.
import { createExchange, NotPlacedError, placeEach, TransportError, type IntentResult, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { from, lastValueFrom, retry, throwError, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';

const lost = new TransportError('the connection was lost', { endpoint: 'order', outcome: 'unknown' });
const refused = new TransportError('refused', { endpoint: 'order', outcome: 'rejected' });
const absent = new NotPlacedError('order', lost);

const placed = (intent: string): IntentResult<string, string> => ({ intent, outcome: 'placed', order: 'o' });

describe('placeEach', () => {
  it('emits the outcome of each intent when its order ends, and goes on after a failed one', () => {
    marbles(({ cold, expectObservable }) => {
      const orders: Record<string, Observable<string>> = {
        a: cold('-----#', undefined, lost),
        b: cold('-#', undefined, refused),
        c: cold('-#', undefined, absent),
        d: cold('-(o|)'),
      };
      const results$ = cold('abcd---|').pipe(placeEach((intent) => orders[intent] ?? throwError(() => lost)));
      expectObservable(results$).toBe('--bcda-|', {
        a: { intent: 'a', outcome: 'unknown', error: lost },
        b: { intent: 'b', outcome: 'rejected', error: refused },
        c: { intent: 'c', outcome: 'not-executed', error: absent },
        d: placed('d'),
      });
    });
  });

  it('runs at most `concurrency` orders at once; further intents wait in order', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const order$ = cold('-----(o|)');
      const results$ = cold('(abc|)').pipe(placeEach(() => order$, { concurrency: 2 }));
      expectObservable(results$).toBe('-----(ab)-(c|)', { a: placed('a'), b: placed('b'), c: placed('c') });
      expectSubscriptions(order$.subscriptions).toBe(['^----!', '^----!', '-----^----!']);
    });
  });

  it('passes on a foreign error after the orders in progress have ended', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const mistake = new TypeError('a mistake');
      const slow$ = cold('-----(o|)');
      const intents$ = cold('a-b-c---------|');
      const results$ = intents$.pipe(placeEach((intent) => (intent === 'a' ? slow$ : throwError(() => mistake))));
      expectObservable(results$).toBe('-----(a#)', { a: placed('a') }, mistake);
      expectSubscriptions(intents$.subscriptions).toBe('^-!');
      expectSubscriptions(slow$.subscriptions).toBe('^----!');
    });
  });

  it('passes on an error of project and of the intents, and drops waiting intents', () => {
    marbles(({ cold, expectObservable }) => {
      const mistake = new TypeError('a mistake');
      const slow$ = cold('---(o|)');
      const throwing = cold('a-b-|').pipe(
        placeEach((intent) => {
          if (intent === 'b') throw mistake;
          return slow$;
        }),
      );
      expectObservable(throwing).toBe('---(a#)', { a: placed('a') }, mistake);
      expectObservable(cold('ab#', undefined, mistake).pipe(placeEach(() => slow$, { concurrency: 1 }))).toBe(
        '---(a#)',
        { a: placed('a') },
        mistake,
      );
    });
  });

  it('unsubscribes from intents and orders at any time', () => {
    for (const moment of everyMoment(6)) {
      marbles(({ cold, expectObservable, expectSubscriptions }) => {
        const intents$ = cold('a-----');
        const order$ = cold('--------(o|)');
        expectObservable(intents$.pipe(placeEach(() => order$)), moment).toBe('------');
        const left = `^${moment.slice(1)}`;
        expectSubscriptions(intents$.subscriptions).toBe(moment === '!' ? '(^!)' : left);
        expectSubscriptions(order$.subscriptions).toBe(moment === '!' ? [] : left);
      });
    }
  });

  it('passes the index of the intent to project, and starts again at each subscription', () => {
    marbles(({ cold, expectObservable }) => {
      const results$ = cold('ab|').pipe(placeEach((_, index) => from([String(index)])));
      const expected = { a: { ...placed('a'), order: '0' }, b: { ...placed('b'), order: '1' } };
      expectObservable(results$).toBe('ab|', expected);
      expectObservable(results$).toBe('ab|', expected);
    });
  });

  it('places exactly one order per intent with retries inside project', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: { baseDelayMs: 1 } });
    sandbox.fault({ kind: 'status', path: '/api/v4/order/stock_market', times: 2, executed: true });
    const place = (amount: string) => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount });
    const results: IntentResult<string, Order>[] = await lastValueFrom(
      from(['0.01', '-1', '0.02', '0.03']).pipe(
        placeEach((amount) => place(amount).pipe(retry(1)), { concurrency: 1 }),
        toArray(),
      ),
    );
    expect(results.map(({ intent, outcome }) => [intent, outcome])).toEqual([
      ['0.01', 'placed'],
      ['-1', 'not-executed'],
      ['0.02', 'placed'],
      ['0.03', 'placed'],
    ]);
    expect(sandbox.ledger.orders).toHaveLength(3);
  });
});
