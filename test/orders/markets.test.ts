import * as endpoints from '../../src/endpoints/index.js';
import { RequestError, type MarketRules } from 'exchange-rx';
import { BehaviorSubject, firstValueFrom, of, Subject, type Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { cacheMarkets, checkAgainstMarkets, isListed, marketCheck, marketsByName } from '../../src/orders/markets.js';
import type { Market } from '../../src/model/market.js';
import type { OrderToCheck } from '../../src/model/order-to-check.js';
import { watch } from '../support/watch.js';

const rules: MarketRules = {
  ...{ name: 'BTC_USDT', stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2' },
  ...{ minAmount: '0.001', minTotal: '5', maxTotal: '0' },
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
    const markets$ = cacheMarkets(read, () => clock.value);
    const size = async () => (await firstValueFrom(markets$)).size;
    const fill = async () => {
      const first = firstValueFrom(markets$);
      respond([btc]);
      await first;
    };
    return { clock, responses, respond, markets$, size, fill };
  }

  it('are read once for those who come together', async () => {
    const { markets$, responses, respond } = setup();
    const both = Promise.all([firstValueFrom(markets$), firstValueFrom(markets$)]);
    respond([btc]);
    expect((await both).map((byName) => byName.get('BTC_USDT'))).toEqual([btc, btc]);
    expect(responses).toHaveLength(1);
  });

  it('are used at once for a minute, then at once too while they are refreshed behind', async () => {
    const { clock, responses, respond, size, fill } = setup();
    clock.next(1000);
    await fill();
    clock.next(1000 + minute - 1);
    expect([await size(), responses.length]).toEqual([1, 1]);
    clock.next(1000 + minute);
    expect([await size(), responses.length]).toEqual([1, 2]);
    // Orders that come meanwhile start no further refresh.
    expect([await size(), responses.length]).toEqual([1, 2]);
    respond([]);
    expect(await size()).toBe(0);
  });

  it('are used while refreshes fail every ten seconds, and refused after an hour', async () => {
    const { clock, markets$, responses, size, fill } = setup();
    await fill();
    const reads = { [minute]: 2, [minute + 9999]: 2, [minute + 10_000]: 3, [60 * minute - 1]: 4 };
    for (const [at, count] of Object.entries(reads)) {
      clock.next(Number(at));
      expect([await size(), responses.length]).toEqual([1, count]);
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
    const { markets$, responses, fill } = setup();
    const failed = firstValueFrom(markets$);
    responses[0]?.error(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    await fill();
  });
});

const list = v.parse(endpoints.public.markets.response, [
  { ...rules, stockPrec: '-6' },
  { ...rules, name: 'ETH_USDT', stockPrec: 'many' },
]);
const unread = '1 could not be read (the first: 1.stockPrec is not as expected)';

it.each([
  ['hides no other', list, 'BTC_USDT', []],
  ['is one that may be listed', list, 'ETH_USDT', [`"ETH_USDT" is not among the readable markets; ${unread}`]],
  [
    'is another than one that is not listed',
    list.slice(0, 1),
    'ETH_USDT',
    ['"ETH_USDT" is not a market of the exchange'],
  ],
])('a market whose rules cannot be read %s, and orders are checked so', async (_, markets, market, messages) => {
  const byName = marketsByName(markets);
  const order = { type: 'stock market', market, side: 'buy', amount: '3000000' } as const;
  expect(checkAgainstMarkets(byName, order)).toEqual(messages.map((message) => ({ field: 'market', message })));
  expect(await firstValueFrom(isListed(of(byName), market))).toBe(markets === list);
});

describe('the market check of an endpoint', () => {
  const order = { type: 'stock market', market: 'BTC_USDT', side: 'buy', amount: '3000000' } as const;
  const check = (toCheck: () => OrderToCheck, confidential = false) =>
    watch(marketCheck(of(marketsByName(list)), { name: 'own', confidential }, toCheck));
  const raise = (error: Error) => () => {
    throw error;
  };

  it('passes an order that keeps the rules, and refuses another', () => {
    expect(check(() => order)).toEqual([]);
    expect(check(() => ({ ...order, market: 'ETH_BTC' }))).toMatchObject([{ issues: [{ field: 'market' }] }]);
  });

  it('refuses a request whose order cannot be determined, without a cause where that is confidential', () => {
    const issues = [{ field: 'params', message: 'could not be checked: toCheck() of the endpoint failed' }];
    const failure = { kind: 'request', endpoint: 'own', outcome: 'not-executed', issues };
    const broken = raise(new Error('broken'));
    expect(check(broken)).toMatchObject([{ ...failure, cause: { message: 'broken' } }]);
    const [confidential] = check(broken, true);
    expect(confidential).toMatchObject(failure);
    expect(confidential).not.toHaveProperty('cause');
    const refused = new RequestError('mine', [{ field: 'amount', message: 'no' }]);
    expect(check(raise(refused))).toEqual([refused]);
  });
});
