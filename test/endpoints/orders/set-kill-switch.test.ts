// The kill switch: the exchange cancels the orders of a bot that is silent for too long by the exchange.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';

function setUp(prices: { readonly seed?: number; readonly volatility: number } = { volatility: 0 }) {
  const sandbox = createSandbox({ clock: 'manual', ...prices });
  const exchange = createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now() });
  const place = (market: string) =>
    firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '1', price: '100' }));
  const arm = (timeout: number | null) =>
    firstValueFrom(exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout }));
  const open = async () => (await firstValueFrom(exchange.orders.open())).map(({ market }) => market);
  return { sandbox, exchange, place, arm, open };
}

describe('setKillSwitch', () => {
  it("cancels the market's open orders when it is not sent again in time, and no others", async () => {
    const { sandbox, place, arm, open } = setUp();
    await place('BTC_USDT');
    await place('ETH_USDT');
    await arm(10);
    sandbox.clock.advance(9_999);
    expect(await open()).toEqual(['ETH_USDT', 'BTC_USDT']);
    sandbox.clock.advance(1);
    expect(await open()).toEqual(['ETH_USDT']);
    expect(sandbox.ledger.orders.find(({ market }) => market === 'BTC_USDT')?.status).toBe('CANCELED');
  });

  it('is put off each time it is sent, and fires once', async () => {
    const { sandbox, place, arm, open } = setUp();
    await place('BTC_USDT');
    for (let beat = 0; beat < 5; beat += 1) {
      await arm(5);
      sandbox.clock.advance(4_000);
    }
    expect(await open()).toEqual(['BTC_USDT']);
    sandbox.clock.advance(1_000);
    expect(await open()).toEqual([]);
    await place('BTC_USDT');
    sandbox.clock.advance(600_000);
    expect(await open()).toEqual(['BTC_USDT']);
  });

  it('is taken away by null', async () => {
    const { sandbox, place, arm, open } = setUp();
    await place('BTC_USDT');
    await arm(5);
    await arm(null);
    sandbox.clock.advance(600_000);
    expect(await open()).toEqual(['BTC_USDT']);
  });

  it('leaves orders filled that the price reached before it fired, and fills none afterwards', async () => {
    const status = async (seconds: number, price: string) => {
      const { sandbox, exchange } = setUp({ seed: 3, volatility: 0.002 });
      await firstValueFrom(
        exchange.collateral.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price }),
      );
      await firstValueFrom(exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout: seconds }));
      sandbox.clock.advance(600_000);
      await firstValueFrom(exchange.orders.open());
      return sandbox.ledger.orders[0]?.status;
    };
    // The same prices each time: they fall by more than a percent within ten minutes, and not within five seconds.
    expect([await status(600, '59400'), await status(5, '59400')]).toEqual(['FILLED', 'CANCELED']);
  });
});
