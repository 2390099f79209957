// Nonces are bounded by the clock: one a millisecond.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it, vi } from 'vitest';

describe('nonces', () => {
  it('never run out in a burst: requests wait for a nonce, the most urgent first', async () => {
    vi.useFakeTimers();
    const enough = { limit: 20_000, windowMs: 10_000 };
    const sandbox = createSandbox({ limits: { mainBalance: enough, mainAccount: enough } });
    const limits = { mainAccount: enough };
    const exchange = createExchange({ ...sandbox.clientOptions(), limits, maxInFlight: 20_000 });
    const failures: unknown[] = [];
    let ended = 0;
    for (let sent = 0; sent < 6000; sent += 1) {
      exchange.account
        .mainBalance()
        .subscribe({ next: () => (ended += 1), error: (error: unknown) => failures.push(error) });
    }
    await vi.advanceTimersByTimeAsync(900);
    expect(ended).toBeLessThan(6000);
    await vi.advanceTimersByTimeAsync(2000);
    expect([ended, failures]).toEqual([6000, []]);
    expect(new Set(sandbox.ledger.requests.map(({ nonce }) => nonce)).size).toBe(6000);
    vi.useRealTimers();
  }, 60_000);
});
