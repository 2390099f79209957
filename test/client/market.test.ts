// exchange.market: a market's rules, cached.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, forkJoin } from 'rxjs';
import { describe, expect, it } from 'vitest';

const market = 'BTC_USDT';

function setup() {
  const sandbox = createSandbox();
  const exchange = createExchange(sandbox.clientOptions());
  return { exchange, reads: () => sandbox.ledger.requests.length };
}

describe('exchange.market', () => {
  it('has the rules of the market', async () => {
    const rules = await firstValueFrom(setup().exchange.market(market));
    expect(rules).toMatchObject({ name: market, stockPrec: '6', moneyPrec: '2' });
  });

  it('reads the markets once for all calls', async () => {
    const { exchange, reads } = setup();
    await firstValueFrom(forkJoin([exchange.market(market), exchange.market('ETH_USDT')]));
    await firstValueFrom(exchange.market(market));
    expect(reads()).toBe(1);
  });

  it('fails for a market that the exchange does not list', async () => {
    const { exchange } = setup();
    await expect(firstValueFrom(exchange.market('BTC/USDT'))).rejects.toMatchObject({
      message: 'market: name "BTC/USDT" is not a market of the exchange',
      outcome: 'none',
    });
  });
});
