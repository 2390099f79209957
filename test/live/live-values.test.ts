// The channels whose values replace each other, and candles.
import type { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, setup } from './setup.js';
import { collected } from '../support/watch.js';

const markets = ['BTC_USDT'];

describe('live values', () => {
  onFakeTime();

  it('never go back to an older best bid and ask, except on a new connection or when the exchange counts from 0 again', async () => {
    const { server, exchange } = setup();
    const seen = collected(exchange.live.bookTicker({ markets }), ({ updateId, status }) => `${updateId} ${status}`);
    const push = (time: number, updateId: number) => {
      server.last.push('bookTicker_update', [[time, time, 'BTC_USDT', updateId, '1', '1', '2', '1']]);
    };
    await seconds(1);
    push(1.5, 1000);
    push(1.5, 998);
    push(1.4, 999);
    push(1.6, 1000);
    push(1.6, 1001);
    push(2.5, 7);
    push(2.6, 8);
    await seconds(1);
    server.last.end();
    await seconds(1);
    push(2.4, 6);
    await seconds(1);
    expect(seen).toEqual(['1000 live', '1001 live', '7 live', '8 live', '8 stale', '6 live']);
  });

  it.each([
    ['ticker', 'market', (value: string) => ['BTC_USDT', { last: value }], 10],
    ['today', 'marketToday', (value: string) => ['BTC_USDT', { last: value }], 10],
    ['premiumIndex', 'premiumIndex', (value: string) => ['BTC_USDT', value, '1', '0', 1], 12],
  ] as const)('of %s are stale after a silence while other channels move', async (name, method, paramsOf, silenceS) => {
    const { server, exchange } = setup();
    const values$: Observable<{ last?: string; markPrice?: string; status: string }> = exchange.live[name]({ markets });
    const seen = collected(values$, ({ last, markPrice, status }) => `${last ?? markPrice} ${status}`);
    exchange.live.lastPrice({ markets }).subscribe();
    await seconds(1);
    server.last.push(`${method}_update`, paramsOf('5'));
    for (let second = 0; second < silenceS - 1; second += 1) {
      server.last.push('lastprice_update', ['BTC_USDT', String(second)]);
      await seconds(1);
    }
    expect(seen).toEqual(['5 live']);
    await seconds(2);
    expect(seen).toEqual(['5 live', '5 stale']);
    expect(server.script.filter((line) => line === `1 ${method}_subscribe ["BTC_USDT"]`)).toHaveLength(2);
    server.last.push(`${method}_update`, paramsOf('6'));
    await seconds(1);
    expect(seen.slice(2)).toEqual(['6 live']);
  });

  it('reach a late subscriber at once, with their status', async () => {
    const { server, exchange } = setup();
    exchange.live.lastPrice({ markets: ['BTC_USDT', 'ETH_USDT'] }).subscribe();
    await seconds(1);
    server.last.push('lastprice_update', ['BTC_USDT', '1']);
    server.last.push('lastprice_update', ['ETH_USDT', '2']);
    server.last.push('lastprice_update', ['BTC_USDT', {}]);
    const late = collected(
      exchange.live.lastPrice({ markets: ['BTC_USDT', 'ETH_USDT'] }),
      ({ market, price, status }) => `${market} ${price} ${status}`,
    );
    expect(late).toEqual(['BTC_USDT 1 stale', 'ETH_USDT 2 live']);
  });

  it('of a subscription that has ended reach no subscriber of the next one', async () => {
    const { server, exchange } = setup();
    const first = exchange.live.lastPrice({ markets }).subscribe();
    await seconds(1);
    server.last.push('lastprice_update', ['BTC_USDT', '1']);
    await seconds(1);
    first.unsubscribe();
    const seen = collected(exchange.live.lastPrice({ markets }), ({ price }) => price);
    await seconds(1);
    expect(seen).toEqual([]);
  });

  it.each([null, '', '0', '0.00', 0])('are a best bid without an ask where the ask is %j', async (none) => {
    const { server, exchange } = setup();
    const seen = collected(exchange.live.bookTicker({ markets }), ({ receivedAt: _, ...value }) => value);
    await seconds(1);
    server.last.push('bookTicker_update', [[1.5, 1.6, 'BTC_USDT', 31, '5', '1', none, none]]);
    server.last.push('bookTicker_update', [[1.5, 1.6, 'BTC_USDT', 32, none, none, '6', '2']]);
    await seconds(1);
    const about = { market: 'BTC_USDT', status: 'live', time: 1.5 };
    expect(seen).toEqual([
      { ...about, updateId: 31, bid: '5', bidAmount: '1' },
      { ...about, updateId: 32, ask: '6', askAmount: '2' },
    ]);
  });
});
