// Setting something twice is not setting it once, when something else was set between: a retry is dropped for a later
// call.
import { describe, expect, it } from 'vitest';
import { paths } from '../support/foreign-exchange.js';
import { losses, type Fault } from '../support/foreign-network.js';
import { market, resting, seconds, setup, useFakeTime, follow } from './setup.js';

useFakeTime();

const patientRetry = { random: () => 1, baseDelayMs: 1000 };
const faults: readonly (readonly [string, Fault])[] = losses.flatMap((how) => [
  [`${how} before it was done`, { kind: 'lost before', how }] as const,
  [`${how} after it was done`, { kind: 'lost after', how }] as const,
]);

describe('a retry of a setting', () => {
  it.each(faults)('does not arm a kill switch that was removed meanwhile: %s', async (_, fault) => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    follow(resting.place(exchange, 'a'));
    await seconds(1);
    network.plan(paths.killSwitch, fault);
    const results: string[] = [];
    exchange.orders
      .setKillSwitch({ market, timeout: 30 })
      .subscribe({ error: () => results.push('failed'), complete: () => results.push('done') });
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market, timeout: null }).subscribe({ complete: () => results.push('removed') });
    await seconds(120);
    expect(results).toHaveLength(2);
    expect(foreign.isArmed(market)).toBe(false);
    expect(foreign.executionsOf('a')).toMatchObject([{ status: 'OPEN' }]);
  });

  it.each(faults)('does not set a leverage that was changed meanwhile: %s', async (_, fault) => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.leverage, fault);
    exchange.collateral.setLeverage({ leverage: 100 }).subscribe({ error: () => undefined });
    await seconds(0.1);
    exchange.collateral.setLeverage({ leverage: 2 }).subscribe();
    await seconds(60);
    expect(foreign.leverage()).toBe(2);
  });

  it('does not retry a cancel when a later call canceled the same identifier', async () => {
    const { network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.cancel, { kind: 'lost before', how: 'reset' });
    for (let call = 0; call < 2; call += 1) {
      exchange.orders.cancel({ market, client_order_id: 'a' }).subscribe({ error: () => undefined });
      await seconds(0.1);
    }
    await seconds(60);
    expect(network.departuresTo(paths.cancel)).toHaveLength(2);
  });

  it('is sent when the later call was about another order or market', async () => {
    const { foreign, network, exchange } = setup({ retry: patientRetry });
    network.plan(paths.killSwitch, { kind: 'lost before', how: 'reset' });
    network.plan(paths.cancel, { kind: 'lost before', how: 'reset' });
    follow(resting.place(exchange, 'a'));
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market, timeout: 600 }).subscribe();
    exchange.orders.cancel({ market, client_order_id: 'a' }).subscribe();
    await seconds(0.1);
    exchange.orders.setKillSwitch({ market: 'ETH_USDT', timeout: 600 }).subscribe();
    exchange.orders.cancel({ market, client_order_id: 'b' }).subscribe({ error: () => undefined });
    await seconds(60);
    expect([foreign.isArmed(market), foreign.isArmed('ETH_USDT')]).toEqual([true, true]);
    expect(foreign.executionsOf('a')).toMatchObject([{ status: 'CANCELED' }]);
  });
});
