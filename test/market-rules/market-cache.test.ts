import type { MarketRules } from 'exchange-rx';
import { BehaviorSubject, firstValueFrom, of, Subject, throwError, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { cacheMarkets } from '../../src/market-rules/index.js';
import type { Market } from '../../src/model/market.js';

const market: MarketRules = { name: 'BTC_USDT', stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2', minAmount: '0.001', minTotal: '5', maxTotal: '0' };

describe('the cached markets', () => {
  const btc: Market = { ...market };

  it('are read once for those who come together, and again when they are old', async () => {
    let reads = 0;
    const answers = new Subject<readonly Market[]>();
    const clock = new BehaviorSubject(0);
    const read = (): Observable<readonly Market[]> => {
      reads += 1;
      return reads === 1 ? answers : of([]);
    };
    const markets$ = cacheMarkets(read, () => clock.value, { freshMs: 1000, maxAgeMs: 10_000, refreshEveryMs: 100 });
    const both = Promise.all([firstValueFrom(markets$), firstValueFrom(markets$)]);
    answers.next([btc]);
    expect((await both).map((markets) => markets.get('BTC_USDT'))).toEqual([btc, btc]);
    clock.next(999);
    expect((await firstValueFrom(markets$)).size).toBe(1);
    clock.next(1000);
    expect((await firstValueFrom(markets$)).size).toBe(0);
    expect(reads).toBe(2);
  });

  it('do not keep a failure', async () => {
    let reads = 0;
    const markets$ = cacheMarkets(
      () => {
        reads += 1;
        return reads === 1 ? throwError(() => new Error('away')) : of([btc]);
      },
      () => 0,
    );
    await expect(firstValueFrom(markets$)).rejects.toThrow('away');
    expect((await firstValueFrom(markets$)).size).toBe(1);
  });
});
