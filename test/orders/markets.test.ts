import * as endpoints from '../../src/endpoints/index.js';
import type { MarketRules } from 'exchange-rx';
import { BehaviorSubject, firstValueFrom, of, Subject, throwError, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { cacheMarkets, checkAgainstMarkets, marketsByName } from '../../src/orders/index.js';
import type { Market } from '../../src/model/market.js';

const rules: MarketRules = {
  name: 'BTC_USDT',
  stock: 'BTC',
  money: 'USDT',
  stockPrec: '6',
  moneyPrec: '2',
  minAmount: '0.001',
  minTotal: '5',
  maxTotal: '0',
};
const minute = 60_000;

describe('the cached markets', () => {
  const btc: Market = { ...rules };

  /** The test decides when a read gets its response. */
  function setup() {
    const clock = new BehaviorSubject(0);
    const responses: Subject<readonly Market[]>[] = [];
    const read = (): Observable<readonly Market[]> => {
      const response = new Subject<readonly Market[]>();
      responses.push(response);
      return response;
    };
    const respond = (markets_: readonly Market[]) => {
      responses.at(-1)?.next(markets_);
      responses.at(-1)?.complete();
    };
    return { clock, responses, respond, markets$: cacheMarkets(read, () => clock.value) };
  }

  it('are read once for those who come together', async () => {
    const { markets$, responses, respond } = setup();
    const both = Promise.all([firstValueFrom(markets$), firstValueFrom(markets$)]);
    respond([btc]);
    expect((await both).map((byName) => byName.get('BTC_USDT'))).toEqual([btc, btc]);
    expect(responses).toHaveLength(1);
  });

  it('are used at once for a minute, then at once too while they are refreshed behind', async () => {
    const { clock, markets$, responses, respond } = setup();
    const first = firstValueFrom(markets$);
    respond([btc]);
    await first;
    clock.next(minute - 1);
    expect((await firstValueFrom(markets$)).size).toBe(1);
    expect(responses).toHaveLength(1);
    clock.next(minute);
    expect((await firstValueFrom(markets$)).size).toBe(1);
    expect(responses).toHaveLength(2);
    // Orders that come meanwhile start no further refresh.
    expect((await firstValueFrom(markets$)).size).toBe(1);
    expect(responses).toHaveLength(2);
    respond([]);
    expect((await firstValueFrom(markets$)).size).toBe(0);
  });

  it('are used while refreshes fail every ten seconds, and refused after an hour', async () => {
    const { clock, markets$, responses, respond } = setup();
    const first = firstValueFrom(markets$);
    respond([btc]);
    await first;
    for (const [index, at] of [minute, minute + 10_000, 60 * minute - 1].entries()) {
      clock.next(at);
      expect((await firstValueFrom(markets$)).size).toBe(1);
      expect(responses).toHaveLength(2 + index);
      responses.at(-1)?.error(new Error('away'));
    }
    clock.next(60 * minute);
    const refused = firstValueFrom(markets$);
    responses.at(-1)?.error(new Error('away'));
    await expect(refused).rejects.toThrow('away');
  });

  it('are as old as the request for them, not as its response', async () => {
    const { clock, markets$, responses, respond } = setup();
    const first = firstValueFrom(markets$);
    clock.next(minute);
    respond([btc]);
    await first;
    await firstValueFrom(markets$);
    expect(responses).toHaveLength(2);
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

describe('a market whose rules cannot be read', () => {
  const list = v.parse(endpoints.public.markets.response, [
    { ...rules, stockPrec: '-6' },
    { ...rules, name: 'ETH_USDT', stockPrec: 'many' },
  ]);
  const order = { type: 'stock market', side: 'buy', amount: '3000000' } as const;

  it('hides no other, and orders in it are refused with the reason', () => {
    const byName = marketsByName(list);
    expect(checkAgainstMarkets(byName, { ...order, market: 'BTC_USDT' })).toEqual([]);
    expect(checkAgainstMarkets(byName, { ...order, market: 'ETH_USDT' })).toEqual([
      {
        field: 'market',
        message:
          '"ETH_USDT" is not among the readable markets; 1 could not be read (the first: 1.stockPrec is not as expected)',
      },
    ]);
  });

  it('is another than one that the exchange does not have', () => {
    const byName = marketsByName(list.slice(0, 1));
    expect(checkAgainstMarkets(byName, { ...order, market: 'ETH_USDT' })).toEqual([
      { field: 'market', message: '"ETH_USDT" is not a market of the exchange' },
    ]);
  });
});
