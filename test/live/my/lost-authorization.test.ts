// A connection that was authorized, and whose requests the exchange then refuses with code 6.
import type { LiveBalances } from 'exchange-rx';
import { retry, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ms, onFakeTime } from '../setup.js';
import { accountSetup } from './account-exchange.js';

onFakeTime();

const spot = { USDT: { available: '100', freeze: '0' } };
const minutes = (count: number) => ms(count * 60_000);

function setup() {
  const all = accountSetup();
  const { account, server, exchange } = all;
  account.results.set('balanceSpot_request', spot).set('balanceMargin_request', {});
  const waits: string[] = [];
  exchange.live.my.state$.subscribe((state) => {
    if (state.status === 'waiting') waits.push(state.reason);
  });
  const values: LiveBalances[] = [];
  const errors: unknown[] = [];
  const error = (one: unknown) => errors.push(one);
  exchange.live.my.balances().subscribe({ next: (value) => values.push(value), error });
  return {
    ...{ ...all, waits, errors, error },
    statuses: () =>
      values
        .map(({ status }) => status)
        .filter((status, index, all) => status !== all[index - 1])
        .join(' '),
    /** The exchange forgets that it has authorized the connection. */
    forget: () => account.authorized.delete(server.last),
    /** It refuses this request on every connection. */
    refuse: (method: string) => {
      account.refuse(method, 6, 'require authentication');
    },
  };
}

describe('an authorized connection whose requests are refused for lack of authorization', () => {
  it('is replaced by one with another token when a subscription is refused, and its streams go on', async () => {
    const { account, server, exchange, forget, statuses, waits, errors, error } = setup();
    await ms(1000);
    forget();
    const others: unknown[] = [];
    exchange.live.my.marginBalances().subscribe({ next: ({ status }) => others.push(status), error });
    await ms(5000);
    expect([statuses(), others, errors, waits]).toEqual(['live stale live', ['live'], [], ['unauthorized']]);
    expect([account.tokens.length, server.connections.length, server.open]).toEqual([2, 2, 1]);
  });

  it('is replaced when a query is refused, such as that of each minute', async () => {
    const { account, forget, statuses, errors } = setup();
    await ms(1000);
    forget();
    await minutes(1.5);
    expect([statuses(), account.tokens.length, errors]).toEqual(['live stale live', 2, []]);
  });

  it('ends the streams of a channel that the next connection refuses, too, and no others', async () => {
    const { account, server, exchange, refuse, statuses, errors } = setup();
    await ms(1000);
    refuse('balanceMargin_subscribe');
    const refused: unknown[] = [];
    exchange.live.my.marginBalances().subscribe({ error: (one: unknown) => refused.push(one) });
    await ms(5000);
    expect(refused).toMatchObject([{ kind: 'live-refused', endpoint: 'live.my.marginBalances', code: 6 }]);
    expect([statuses(), errors, account.tokens.length, server.open]).toEqual(['live stale live', [], 2, 1]);
  });

  it('is replaced once in 5 minutes at most, however often the refused channel is subscribed again', async () => {
    const { account, exchange, refuse, errors } = setup();
    await ms(1000);
    refuse('balanceMargin_subscribe');
    const again$ = exchange.live.my.marginBalances().pipe(retry({ delay: () => timer(5000) }));
    again$.subscribe();
    await minutes(4.9);
    expect([account.tokens.length, errors]).toEqual([2, []]);
    await minutes(10);
    expect([account.tokens.length, errors]).toEqual([4, []]);
  });

  it('is replaced again when it happens again later', async () => {
    const { account, forget, statuses, errors } = setup();
    for (const _ of [1, 2, 3]) {
      await minutes(6);
      forget();
    }
    await minutes(2);
    expect([account.tokens.length, errors]).toEqual([4, []]);
    expect(statuses()).toBe('live stale live stale live stale live');
  });
});
