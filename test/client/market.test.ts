// exchange.market: a market's rules, cached, with rounding and checks by them.
import { createExchange, type OrderToCheck } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, forkJoin } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

const market = 'BTC_USDT';

function setup() {
  const sandbox = createSandbox();
  const exchange = createExchange(sandbox.clientOptions());
  return { exchange, reads: () => sandbox.ledger.requests.length };
}

describe('exchange.market', () => {
  it('has the rules of the market, and rounds and checks by them', async () => {
    const { exchange } = setup();
    const { rules, roundAmount, roundPrice, check } = await firstValueFrom(exchange.market(market));
    expect(rules).toMatchObject({ name: market, stockPrec: '6', moneyPrec: '2' });
    expect([roundAmount('0.12345678'), roundPrice(60000.129)]).toEqual(['0.123456', '60000.12']);
    const order = { type: 'limit', market, side: 'buy', price: '60000' } as const;
    expect(check({ ...order, amount: '0.01' })).toEqual([]);
    expect(check({ ...order, amount: '0.0000001' }).map(({ field }) => field)).toContain('amount');
    const without: object = order;
    expect(check(without as OrderToCheck).map(({ field }) => field)).toEqual(['amount']);
  });

  it('reads the markets once for all calls of a minute', async () => {
    const { exchange, reads } = setup();
    await firstValueFrom(forkJoin([exchange.market(market), exchange.market('ETH_USDT')]));
    await firstValueFrom(exchange.market(market));
    await vi.advanceTimersByTimeAsync(59_999);
    await firstValueFrom(exchange.market(market));
    expect(reads()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await firstValueFrom(exchange.market(market));
    await vi.advanceTimersByTimeAsync(0);
    expect(reads()).toBe(2);
  });

  it('fails for a market that the exchange does not list', async () => {
    const { exchange } = setup();
    await expect(firstValueFrom(exchange.market('BTC/USDT'))).rejects.toMatchObject({
      message: 'market: name "BTC/USDT" is not a market of the exchange',
      outcome: 'none',
    });
  });
});
