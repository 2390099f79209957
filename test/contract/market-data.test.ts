// The public endpoints of the SDK against the routes of the sandbox.
import { createExchange, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { expect, it } from 'vitest';

const market = 'BTC_USDT';
const future = 'BTC_PERP';
const markets = [market, future].map((name) => ({ name, price: '60000' }));

function client() {
  const sandbox = createSandbox({ clock: 'manual', volatility: 0, markets });
  sandbox.clock.advance(24 * 60 * 60 * 1000);
  return createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now(), retry: false }).public;
}

it('every response is read whole', async () => {
  const endpoints = client();
  const calls: readonly Observable<object>[] = [
    endpoints.platformStatus(),
    endpoints.tickers(),
    endpoints.assets(),
    endpoints.assetFees(),
    endpoints.collateralMarkets(),
    endpoints.futuresMarkets(),
    endpoints.fundingRateHistory({ market: future }),
    endpoints.miningPool(),
    endpoints.orderBook({ market }),
    endpoints.marketDepth({ market }),
    endpoints.recentTrades({ market }),
    endpoints.candles({ market }),
  ];
  for (const call of calls) {
    const output = await firstValueFrom(call);
    expect(unreadableIn(output)).toBeUndefined();
    expect(Object.keys(output)).not.toEqual([]);
  }
});
