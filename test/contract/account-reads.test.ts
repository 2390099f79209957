// The reads of an account against the state of the sandbox, in both dialects.
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { dialects, sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';

describe.each(dialects)('the trade balance in the %s dialect', (dialect) => {
  const accounts = [{ name: 'main', balances: { trade: { BTC: '1', USDT: '10000' }, collateral: { ETH: '7' } } }];
  const world = () => setup({ dialect, accounts });
  const path = '/api/v4/trade-account/balance';

  it('is by asset, and changes as spot orders trade', async () => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({
      BTC: { available: '1', freeze: '0' },
      USDT: { available: '10000', freeze: '0' },
    });
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '1' }));
    const { trade } = sandbox.ledger.balances();
    expect(await firstValueFrom(exchange.spot.balance())).toEqual({
      USDT: { available: trade['USDT'], freeze: '0' },
    });
    expect(Number(trade['USDT'])).toBeGreaterThan(60_000);
  });

  it('of one asset is published under its name, and sent bare by the live exchange', async () => {
    const one = world();
    const bare = { available: '1', freeze: '0' };
    expect((await sendRaw(one, path, { ticker: 'BTC' })).body).toEqual(dialect === 'live' ? bare : { BTC: bare });
    expect(await firstValueFrom(one.exchange.spot.balanceOf({ ticker: 'BTC' }))).toMatchObject(bare);
  });

  it('of an asset without a balance is 0, and that of an unknown asset is rejected', async () => {
    const { exchange } = world();
    expect(await firstValueFrom(exchange.spot.balanceOf({ ticker: 'LTC' }))).toMatchObject({
      available: '0',
      freeze: '0',
    });
    expect(await failureOf(exchange.spot.balanceOf({ ticker: 'constructor' }))).toMatchObject({
      kind: 'api',
      code: 30,
      reason: 'validation',
      errors: { ticker: ['Currency was not found.'] },
    });
  });
});
