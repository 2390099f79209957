// The kill switch: a bot that says nothing for too long has its orders canceled by the exchange.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';

function setUp() {
  const sandbox = createSandbox({ clock: 'manual', volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now() });
  const place = (market: string) => firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '1', price: '100' }));
  const arm = (timeout: number | null) => firstValueFrom(exchange.spot.setKillSwitch({ market: 'BTC_USDT', timeout }));
  const open = async () => (await firstValueFrom(exchange.spot.openOrders())).map(({ market }) => market);
  return { sandbox, place, arm, open };
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

  it('fills what the price reached before it fired', async () => {
    const { sandbox, place, arm, open } = setUp();
    await place('BTC_USDT');
    await arm(5);
    sandbox.clock.advance(3_000);
    sandbox.market('BTC_USDT').setPrice('90');
    sandbox.clock.advance(10_000);
    expect(await open()).toEqual([]);
    expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['FILLED']);
  });
});
