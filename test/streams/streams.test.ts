// The streams that people watch, on the sandbox.
import { createExchange, watchBalance, watchHealth, type BalanceUpdate } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { filter, firstValueFrom, interval, lastValueFrom, take, timer, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';

const balancePath = '/api/v4/main-account/balance';

function setup() {
  const sandbox = createSandbox();
  return { sandbox, exchange: createExchange({ ...sandbox.clientOptions(), retry: false }) };
}

/** Resolves once the sandbox has seen so many requests. */
function polled(sandbox: Sandbox, requests: number): Promise<unknown> {
  return firstValueFrom(interval(1).pipe(filter(() => sandbox.ledger.requests.length >= requests)));
}

describe('watchBalance', () => {
  it('emits at once, then when the balance changed, with the change of each asset', async () => {
    const { sandbox, exchange } = setup();
    const balance$ = watchBalance(exchange, { everyMs: 5 });
    const updates = lastValueFrom(balance$.pipe(take(2), toArray()));
    await firstValueFrom(balance$);
    await polled(sandbox, 4);
    sandbox.account().deposit('BTC', '0.1', 'main');
    sandbox.account().deposit('XLM', '-36.48', 'main');
    const seen = await updates;
    expect(seen[1]).toMatchObject({
      stale: false,
      balance: { BTC: { main_balance: '2.6' } },
      changes: [
        { asset: 'BTC', before: '2.5', after: '2.6', delta: '0.1' },
        { asset: 'XLM', before: '36.48', after: '0', delta: '-36.48' },
      ],
    });
  });

  it('a poll that fails marks the balance as stale, keeps it, and does not end the stream', async () => {
    const { sandbox, exchange } = setup();
    const balance$ = watchBalance(exchange, { everyMs: 5 });
    const updates = lastValueFrom(balance$.pipe(take(3), toArray()));
    await firstValueFrom(balance$);
    sandbox.unavailable({ path: balancePath, times: 2 });
    const [first, failed, again] = await updates;
    expect(failed).toMatchObject({ stale: true, error: { kind: 'unavailable' }, balance: first?.balance });
    expect(again).toMatchObject({ stale: false, changes: [] });
  });

  it('subscribers share its polls, a late one gets the last update at once, and the last to leave stops them', async () => {
    const { sandbox, exchange } = setup();
    const balance$ = watchBalance(exchange, { everyMs: 20 });
    const subscriptions = Array.from({ length: 100 }, () => balance$.subscribe());
    await firstValueFrom(balance$);
    expect(sandbox.ledger.requests).toHaveLength(1);
    let late: BalanceUpdate | undefined;
    subscriptions.push(balance$.subscribe((update) => (late = update)));
    expect(late?.balance['BTC']).toEqual({ main_balance: '2.5' });
    subscriptions.forEach((subscription) => {
      subscription.unsubscribe();
    });
    const left = sandbox.ledger.requests.length;
    await firstValueFrom(timer(60));
    expect(sandbox.ledger.requests.length).toBe(left);
  });
});

describe('watchHealth', () => {
  it('is up, degraded by one failure, down after three, and up again', async () => {
    const { sandbox, exchange } = setup();
    sandbox.unavailable({ times: 4 });
    const states = await lastValueFrom(watchHealth(exchange, { everyMs: 1 }).pipe(take(6), toArray()));
    expect(states.map(({ state, consecutiveFailures, reason }) => [state, consecutiveFailures, reason])).toEqual([
      ['degraded', 1, 'unavailable'],
      ['degraded', 2, 'unavailable'],
      ['down', 3, 'unavailable'],
      ['down', 4, 'unavailable'],
      ['up', 0, undefined],
      ['up', 0, undefined],
    ]);
    expect(states[2]?.since).toBe(states[3]?.since);
    expect(states[4]?.latencyMs).toBeGreaterThan(0);
  });

  it('is degraded while pings are slow', async () => {
    const { exchange } = setup();
    expect(await firstValueFrom(watchHealth(exchange, { slowMs: 0 }))).toMatchObject({ state: 'degraded', reason: 'slow' });
  });
});
