// What exchange.live.my.executions emits: every execution once, whatever the connection and the history do.
import { AuthError, RequestError, type LiveExecutionItem } from 'exchange-rx';
import { take } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { DealsExchange, honest, keyOf } from './deals-exchange.js';
import { accountSetup } from './account-exchange.js';
import { ms, onFakeTime, seeded } from '../setup.js';

onFakeTime();

function setup(more: { readonly historyLagMs?: number } = {}) {
  const deals = new DealsExchange(seeded(1));
  const options = { retry: { random: () => 0.5, maxRetries: 0 }, fetch: deals.fetch, ...more };
  const { server, exchange } = accountSetup(options);
  deals.serve(server);
  return { server, exchange, deals, my: exchange.live.my };
}

type Setup = ReturnType<typeof setup>;

/** What a subscriber has seen: numbers of executions as indexes of the ledger, and gaps. */
function watch({ exchange, deals }: Setup, params: Parameters<typeof exchange.live.my.executions>[0] = {}) {
  const items: LiveExecutionItem[] = [];
  const errors: unknown[] = [];
  const error = (one: unknown) => errors.push(one);
  const subscription = exchange.live.my.executions(params).subscribe({ next: (item) => items.push(item), error });
  const seen = () =>
    items.map((item) => {
      if (item.kind === 'gap') return `${item.reason} ${item.filled ? 'filled' : 'not filled'}`;
      const { id, order_id } = item.execution;
      const index = deals.deals.findIndex((deal) => keyOf(deal) === `${id}/${order_id}`);
      return `${index}${item.late ? ' late' : ''}`;
    });
  return { items, errors, subscription, seen };
}

/** Now, Unix seconds. */
const now = () => Date.now() / 1000;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** For 100 s after the last subscriber has left, nothing goes on: the permits of its requests return after 10 s. */
async function expectNothingLeft({ server, deals }: Setup) {
  const { reads } = deals;
  await ms(100_000);
  expect([server.open, deals.reads - reads, vi.getTimerCount()]).toEqual([0, 0, 0]);
}

/** The exchange responds to requests for its time with this error first, `times` times. */
function refuseTime({ server }: Setup, code: number, times = Number.POSITIVE_INFINITY) {
  const { react } = server;
  let count = 0;
  server.react = (got) => {
    const isTime = got.method === 'time';
    if (isTime) count += 1;
    if (isTime && count <= times) got.connection.refuse(got.id, code, 'no time');
    else react(got);
  };
  return () => count;
}

/**
 * Waits for so many seconds, or does what a word says: an execution (`x`), one whose push is lost, a cut, REST that fails
 * and recovers (`down`, `up`), the clock of the exchange (`clock=2`: 2 hours ahead).
 */
async function play({ server, deals }: Setup, script: string): Promise<void> {
  for (const step of script.split(' ')) {
    if (step === 'x') deals.execute();
    else if (step === 'lost') {
      deals.lies = { ...honest, lost: 1 };
      deals.execute();
      deals.lies = honest;
    } else if (step === 'cut') server.last.end();
    else if (step === 'down' || step === 'up') deals.restIsDown = step === 'down';
    else if (step.startsWith('clock=')) deals.clockMs = Number(step.slice(6)) * 3_600_000;
    else await ms(Number(step) * 1000);
  }
}

describe('exchange.live.my.executions', () => {
  it('emits the executions after the subscription, and none before it', async () => {
    const all = setup();
    await play(all, 'x 5');
    const { seen, items } = watch(all);
    await play(all, '1 x 1 x 100');
    expect(seen()).toEqual(['1', '2']);
    expect(items[0]).toMatchObject({
      kind: 'execution',
      execution: { market: 'BTC_USDT', side: 'buy', role: 2, amount: '0.5', fee: '0.1', feeAsset: 'USDT' },
    });
    expect(all.server.script.filter((line) => line.includes('deals'))).toEqual(['1 deals_subscribe [[]]']);
  });

  it('emits those since a time in the order of their times, before those that come, from pages of 100', async () => {
    const all = setup();
    all.deals.maxPage = 100;
    for (let count = 0; count < 350; count += 1) {
      all.deals.execute();
      await ms(10);
    }
    const { seen } = watch(all, { since: now() - 60 });
    await ms(40);
    all.deals.execute();
    await ms(10_000);
    expect(seen()).toEqual(upTo(351));
  });

  it.each([
    [
      'goes on with a gap while REST fails, and emits the missing ones late',
      ...['0', '1 cut down x 3 x 10 up 60', 'reconnect not filled, 1, 0 late, reconnect filled'],
    ],
    ['repairs a silent loss within a minute', '0', '5 lost x 63', '1, silent-loss filled, 0 late'],
    ['has no gap when the history cannot be read while every push comes', '0', '10 down 100 x 100', '0'],
    [
      'misses none when the clock of the exchange is 2 hours ahead',
      ...['clock=2 x 5', '1 lost cut 10 x 1', 'reconnect not filled, 1, reconnect filled, 2'],
    ],
    [
      'misses none when it is 2 hours behind',
      ...['clock=-2 x 5', '1 lost cut 10 x 1', 'reconnect not filled, 1, reconnect filled, 2'],
    ],
    ['goes on after that clock was set back', '0', '3 x 70 x 70 clock=-1 x 70 x 70', '0, 1, 2 late, 3 late'],
  ])('%s', async (_, before = '', after = '', expected) => {
    const all = setup();
    await play(all, before);
    const { seen } = watch(all);
    await play(all, after);
    expect(seen().join(', ')).toBe(expected);
  });

  it('emits the listed executions although each connection is lost at once', async () => {
    const all = setup();
    const { seen } = watch(all);
    await ms(10_000);
    all.deals.restLatencyMs = 2000;
    all.deals.lastsMs = 100;
    await play(all, 'cut x 20');
    expect(seen()).toEqual(['reconnect not filled', '0']);
    expect(all.server.connections.length).toBeGreaterThan(3);
    all.server.accepts = false;
    await play(all, '20 x 65');
    expect(seen()).toEqual(['reconnect not filled', '0', 'reconnect not filled', '1']);
  });

  it('reads the history after an unreadable push, and reports an unreadable record of it', async () => {
    const all = setup();
    const { seen } = watch(all);
    await play(all, '5 lost');
    all.server.last.push('deals_update', [1000, null, 'BTC_USDT']);
    await ms(5000);
    expect(seen()).toEqual(['unreadable not filled', '0', 'unreadable filled']);
    const record = { id: 7, time: now(), price: '1', amount: '1', orderId: 8 };
    all.deals.refusal = { status: 200, body: { BTC_USDT: [record, { ...record, orderId: null }, { id: 'x' }] } };
    await ms(63_000);
    expect(seen().slice(3)).toEqual(['silent-loss filled', 'unreadable not filled', '-1 late']);
  });

  it('takes a push that comes after the history has listed its execution for no loss', async () => {
    const all = setup();
    const { seen } = watch(all);
    // The history is read at 62.2 s.
    await ms(62_150);
    all.deals.lies = { ...all.deals.lies, delayed: 1, maxDelayMs: 1500 };
    all.deals.execute();
    await ms(70_000);
    expect(seen()).toEqual(['0']);
  });

  it('gives a late subscriber a beginning of its own, by one subscription', async () => {
    const all = setup();
    const start = now();
    const first = watch(all);
    await play(all, '1 x 30');
    const late = watch(all);
    const since = watch(all, { since: start });
    await play(all, '5 x 1 cut x 10');
    expect(first.seen()).toEqual(['0', '1', 'reconnect not filled', '2', 'reconnect filled']);
    expect(late.seen()).toEqual(['1', 'reconnect not filled', '2', 'reconnect filled']);
    expect(since.seen()).toEqual(['0', '1', 'reconnect not filled', '2', 'reconnect filled']);
    const subscribed = all.server.script.filter((line) => line.includes('deals'));
    expect(subscribed).toEqual(['1 deals_subscribe [[]]', '2 deals_subscribe [[]]']);
  });

  it('continues after a restart from the cursor of the last execution', async () => {
    const all = setup();
    const { items, subscription } = watch(all);
    await play(all, '1 lost x 1');
    const last = items.at(-1);
    const cursor = last?.kind === 'execution' ? last.cursor : undefined;
    subscription.unsubscribe();
    await play(all, 'x 100');
    const next = watch(all, { since: cursor });
    await play(all, '1 x 1');
    expect(next.seen()).toEqual(['0', '2', '3']);
  });

  it('sends nothing for a time that the exchange has forgotten, or that is not a time', () => {
    const all = setup();
    const executions = (params: object) => all.exchange.live.my.executions(params);
    for (const since of [now() - 190 * 86_400, Date.now(), Number.NaN, -1])
      expect(() => executions({ since })).toThrow(RequestError);
    expect(() => executions({ since: { from: now() - 190 * 86_400, emitted: [] } })).toThrow(/since.from/);
    expect(() => executions({ since: { from: now(), emitted: [1] } })).toThrow(RequestError);
    expect(() => executions({ since: 'yesterday' })).toThrow(RequestError);
    expect(all.server.connections).toEqual([]);
    expect(all.deals.reads).toBe(0);
  });

  it('ends with the error of a key that may not read the history', async () => {
    const all = setup();
    all.deals.refusal = { status: 401, body: { code: 0, message: 'no permission', errors: {} } };
    const { errors } = watch(all);
    await ms(5000);
    expect(errors).toEqual([expect.any(AuthError)]);
  });
});

describe('subscribers of executions that leave', () => {
  it.each<[string, { readonly isSince?: boolean; readonly isTimeRefused?: boolean }, (all: Setup) => unknown]>([
    ['an execution of the history', { isSince: true }, () => undefined],
    ['a gap of a connection that was lost', {}, (all) => play(all, '2 cut x 5')],
    ['a gap of a request for the time that fails', { isTimeRefused: true }, () => ms(5000)],
  ])('leave nothing at %s', async (_, { isSince = false, isTimeRefused = false }, act) => {
    const all = setup();
    if (isTimeRefused) refuseTime(all, 5);
    all.deals.execute();
    all.my
      .executions(isSince ? { since: now() - 60 } : {})
      .pipe(take(1))
      .subscribe();
    await ms(1000);
    await act(all);
    await expectNothingLeft(all);
  });

  it('leave nothing when one ends another one, too', async () => {
    const all = setup();
    all.deals.execute();
    const second = all.my.executions({ since: now() - 60 });
    const first = all.my.executions({ since: now() - 60 }).subscribe(() => {
      first.unsubscribe();
      ended.unsubscribe();
    });
    const ended = second.subscribe();
    await ms(1000);
    await expectNothingLeft(all);
  });

  it('leave nothing behind while requests fail', async () => {
    const all = setup();
    const subscribers = [watch(all), watch(all, { since: now() })];
    await play(all, '5 down cut 5');
    for (const { subscription } of subscribers) subscription.unsubscribe();
    await ms(1000);
    await expectNothingLeft(all);
  });
});

describe('executions of an exchange that keeps no rule', () => {
  it.each([
    ['is retried while the request fails', 5, 2, ['unavailable not filled', '0', 'unavailable filled'], 3],
    ['is by the clock of this machine where the exchange refuses to say it', 1, undefined, ['0'], 1],
  ])('have a beginning that %s, and holds no push back', async (_, code, times, expected, requests) => {
    const all = setup();
    const requested = refuseTime(all, code, times);
    const { seen } = watch(all);
    await play(all, '0.3 x 20');
    expect([seen(), requested()]).toEqual([expected, requests]);
  });

  it('have a beginning by its clock, although the connection is lost while its time is requested', async () => {
    const all = setup();
    await play(all, 'clock=2 x 5');
    const { react } = all.server;
    all.server.react = (got) => {
      if (got.method !== 'time') react(got);
      else {
        all.server.react = react;
        got.connection.end();
      }
    };
    const { seen } = watch(all);
    await play(all, '5 x 20');
    expect(seen()).toEqual(['reconnect not filled', 'reconnect filled', '1']);
  });

  it('are complete after an outage when the history lags by less than historyLagMs', async () => {
    const all = setup({ historyLagMs: 120_000 });
    const { seen } = watch(all);
    await ms(3000);
    all.server.accepts = false;
    all.server.last.end();
    all.deals.lies = { ...honest, lagging: 1, maxLagMs: 118_000 };
    for (const _ of upTo(30)) await play(all, 'x 5');
    all.server.accepts = true;
    await ms(400_000);
    const ids = seen().flatMap((one) => (one.startsWith('reconnect') ? [] : one.replace(' late', '')));
    expect(ids.toSorted()).toEqual(upTo(30).toSorted());
  });

  it('go on when it responds to a history without executions with the published 422', async () => {
    const all = setup();
    const body = { code: 30, message: 'Validation failed', errors: { orderHistory: ['OrderHistory was not found.'] } };
    all.deals.refusal = { status: 422, body };
    const { seen, errors } = watch(all);
    await play(all, '70 x 1');
    expect([seen(), errors]).toEqual([['0'], []]);
    await play(all, 'lost');
    // The history has it now.
    all.deals.refusal = undefined;
    await ms(70_000);
    expect(seen()).toEqual(['0', 'silent-loss filled', '1 late']);
  });
});
