// What happens on the embedded exchange of a dashboard without another one.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sandboxActivity, sandboxOptions } from '../../src/cli/dashboard/sandbox-activity.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

// No order has shown yet that the exchange keeps identifiers, so the absence of the lost ones cannot be proven.
it.each([true, false])(
  'two positions are opened, once, although both orders are lost (executed: %s)',
  async (executed) => {
    const sandbox = createSandbox(sandboxOptions);
    sandbox.fault({ kind: 'reset', path: '/api/v4/order/collateral/market', executed, times: 2 });
    // No lookup finds the executed ones, either.
    sandbox.fault({ kind: 'status', path: '/api/v4/trade-account/order/history', times: 1000 });
    const exchange = createExchange({ ...sandbox.clientOptions(), warnings: false });
    const activity = sandboxActivity(exchange).subscribe();
    onTestFinished(() => {
      activity.unsubscribe();
    });
    await vi.advanceTimersByTimeAsync(60_000);
    const positions = firstValueFrom(exchange.collateral.openPositions());
    await vi.advanceTimersByTimeAsync(1000);
    expect((await positions).map(({ market, amount }) => `${market} ${amount}`).toSorted()).toEqual([
      'BTC_PERP 0.25',
      'ETH_PERP -3.2',
    ]);
  },
);
