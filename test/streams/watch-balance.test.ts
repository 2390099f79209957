// The main balance, watched, on the sandbox and on fake time.
import { createExchange, RequestError, watchBalance, type BalanceUpdate, type ExchangeOptions } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { delay, filter, firstValueFrom, of, Subject, take } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mainWallet } from '../../src/streams/wallets.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const balancePath = '/api/v4/main-account/balance';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setup(options: Partial<ExchangeOptions> = {}, world: SandboxOptions = {}) {
  const sandbox = createSandbox({ volatility: 0, ...world });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const polls = () => sandbox.ledger.requests.filter(({ path }) => path === balancePath).length;
  const watch = (settings: Parameters<typeof watchBalance>[1] = {}) => {
    const updates: BalanceUpdate[] = [];
    const balance$ = watchBalance(exchange, { everyMs: 1000, random: () => 1, ...settings });
    return { balance$, updates, subscription: balance$.subscribe((update) => updates.push(update)) };
  };
  return { sandbox, exchange, polls, watch };
}

describe('watchBalance', () => {
  it('emits after every poll with the change of each asset', async () => {
    const { sandbox, polls, watch } = setup();
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(3500);
    expect([updates.length, polls()]).toEqual([4, 4]);
    for (const update of updates)
      expect(update).toMatchObject({ balance: { BTC: { main_balance: '2.5' } }, changes: [], stale: false });
    sandbox.account().deposit('BTC', '0.1', 'main');
    sandbox.account().deposit('XLM', '-36.48', 'main');
    await vi.advanceTimersByTimeAsync(2000);
    expect(updates).toHaveLength(6);
    expect(updates[5]).toMatchObject({ balance: updates[4]?.balance, changes: [] });
    expect(updates[4]).toMatchObject({
      stale: false,
      balance: { BTC: { main_balance: '2.6' } },
      changes: [
        { asset: 'BTC', before: '2.5', after: '2.6', delta: '0.1' },
        { asset: 'XLM', before: '36.48', after: '0', delta: '-36.48' },
      ],
    });
    expect(updates[4]?.balance).not.toHaveProperty('XLM');
  });

  it('sets readAt to the time of the last successful poll, also for an unchanged balance', async () => {
    const { watch } = setup();
    const begin = Date.now();
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates.map(({ readAt }) => (readAt ?? 0) - begin)).toEqual([0, 1000, 2000]);
  });

  it('sets readAt to the time when the request was sent', async () => {
    const { sandbox, watch } = setup({ limits: { mainAccount: { limit: 1, windowMs: 4000 } } });
    sandbox.fault({ kind: 'slow', delayMs: 1500, times: 2 });
    const { updates } = watch();
    // The permit of the second poll comes back 4 s after the first response: it is sent then, and not when it was due.
    await vi.advanceTimersByTimeAsync(8000);
    const sentAt = sandbox.ledger.requests.map(({ at }) => at);
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThanOrEqual(5500);
    expect(updates.map(({ readAt }) => readAt)).toEqual(sentAt);
  });

  it('sets readAt to the time of the subscription when no event reports the sending', async () => {
    const mainBalance = () => of({ BTC: { main_balance: '1' } }).pipe(delay(100));
    const { exchange } = setup();
    const start = Date.now();
    const readAt: unknown[] = [];
    watchBalance({ account: { ...exchange.account, mainBalance } }, { everyMs: 1000 }).subscribe((update) =>
      readAt.push((update.readAt ?? 0) - start),
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(readAt).toEqual([0, 1100]);
  });

  it('gives a late subscriber the last balance and its readAt without changes', async () => {
    const { sandbox, watch } = setup();
    const begin = Date.now();
    const { balance$ } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.account().deposit('BTC', '0.1', 'main');
    await vi.advanceTimersByTimeAsync(600);
    const afterChange: BalanceUpdate[] = [];
    balance$.subscribe((update) => afterChange.push(update));
    expect(afterChange).toMatchObject([
      { balance: { BTC: { main_balance: '2.6' } }, changes: [], readAt: begin + 1000 },
    ]);
    await vi.advanceTimersByTimeAsync(5000);
    const later: BalanceUpdate[] = [];
    balance$.subscribe((update) => later.push(update));
    expect(later).toMatchObject([{ changes: [], readAt: begin + 6000, stale: false }]);
    sandbox.account().deposit('BTC', '0.1', 'main');
    await vi.advanceTimersByTimeAsync(1000);
    const change = [{ asset: 'BTC', delta: '0.1' }];
    expect([later.at(-1), afterChange.at(-1)]).toMatchObject([{ changes: change }, { changes: change }]);
  });

  it('emits an empty balance at once', async () => {
    const { watch } = setup({}, { accounts: [{ name: 'main', balances: {} }] });
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates).toHaveLength(3);
    for (const update of updates) expect(update).toMatchObject({ balance: {}, changes: [], stale: false });
  });

  it('keeps the balance as stale after a failed poll until a poll succeeds', async () => {
    const { sandbox, watch } = setup();
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: balancePath, times: 2 });
    await vi.advanceTimersByTimeAsync(6500);
    expect(updates.map(({ stale }) => stale)).toEqual([false, true, true, false, false]);
    const [first, , stale, fresh] = updates;
    expect(stale).toMatchObject({
      stale: true,
      error: { kind: 'unavailable' },
      balance: first?.balance,
      readAt: first?.readAt,
      changes: [],
    });
    expect(fresh).toMatchObject({ stale: false, changes: [] });
    expect(fresh).not.toHaveProperty('error');
    expect(fresh?.readAt).toBeGreaterThan(first?.readAt ?? Infinity);
  });

  it('emits each failure when polls fail in different ways', async () => {
    const { sandbox, watch } = setup();
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: balancePath, times: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    sandbox.account().setKeyEnabled(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(updates.map(({ error }) => error?.kind)).toEqual([undefined, 'unavailable', 'auth']);
  });

  it('emits an empty, stale balance when the first poll fails', async () => {
    const { sandbox, watch } = setup();
    sandbox.fault({ kind: 'status', path: balancePath, times: 1 });
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(500);
    expect(updates).toMatchObject([{ balance: {}, readAt: undefined, stale: true }]);
  });

  it('backs off while polls fail, up to a maximum, and polls as before after a success', async () => {
    const { sandbox, polls, watch } = setup();
    sandbox.fault({ kind: 'status', path: balancePath, times: 8 });
    watch();
    const seen: number[] = [];
    for (let second = 0; second < 195; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      if (polls() > seen.length) seen.push(second);
    }
    // After the nth failed poll, the pause is 1 s and 2 ** (n - 1) s, at most 61 s.
    expect(seen.slice(0, 10)).toEqual([0, 1, 4, 9, 18, 35, 68, 129, 190, 191]);
  });

  it('goes on when Retry-After is longer than a timer can wait', async () => {
    const { sandbox, watch } = setup();
    sandbox.fault({ kind: 'status', path: balancePath, times: 1, retryAfterSeconds: 9_999_999 });
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(updates).toMatchObject([{ stale: true }]);
  });

  it('waits for Retry-After', async () => {
    const { sandbox, polls, watch } = setup();
    sandbox.fault({ kind: 'status', path: balancePath, times: 1, retryAfterSeconds: 20 });
    watch();
    await vi.advanceTimersByTimeAsync(20_500);
    expect(polls()).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls()).toBe(2);
  });

  it('shares one poll among 1,000 subscribers, and stops with the last one', async () => {
    const { polls, watch } = setup();
    const { balance$, updates, subscription } = watch();
    const others = Array.from({ length: 999 }, () => balance$.subscribe((update) => updates.push(update)));
    await vi.advanceTimersByTimeAsync(500);
    expect([polls(), updates.length]).toEqual([1, 1000]);
    let late: BalanceUpdate | undefined;
    others.push(balance$.subscribe((update) => (late = update)));
    expect(late?.balance['BTC']).toEqual({ main_balance: '2.5' });
    subscription.unsubscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls()).toBe(2);
    for (const one of others) one.unsubscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polls()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts again for a subscriber after the last one has left', async () => {
    const { polls, watch } = setup();
    const { balance$, subscription } = watch();
    await vi.advanceTimersByTimeAsync(10);
    subscription.unsubscribe();
    const update = firstValueFrom(balance$);
    await vi.advanceTimersByTimeAsync(10);
    expect(await update).toMatchObject({ stale: false });
    expect(polls()).toBe(2);
  });

  it('polls at once when refreshOn emits, such as after an order', async () => {
    const { exchange, polls, watch } = setup();
    const responses$ = exchange.events$.pipe(
      filter((event) => event.type === 'response' && event.endpoint === 'spot.placeStockMarketOrder'),
    );
    watch({ everyMs: 60_000, refreshOn: responses$ });
    await vi.advanceTimersByTimeAsync(10);
    exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }).subscribe();
    await vi.advanceTimersByTimeAsync(10);
    expect(polls()).toBe(2);
  });

  it('pauses and resumes', async () => {
    const { polls, watch } = setup();
    const paused$ = new Subject<boolean>();
    watch({ pauseWhile: paused$ });
    await vi.advanceTimersByTimeAsync(10);
    paused$.next(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polls()).toBe(1);
    paused$.next(false);
    await vi.advanceTimersByTimeAsync(10);
    expect(polls()).toBe(2);
  });

  it('is stale for a subscriber during a pause when the balance is older than everyMs and 1 s', async () => {
    const { sandbox, watch } = setup();
    const paused$ = new Subject<boolean>();
    const { balance$, updates } = watch({ pauseWhile: paused$ });
    const seenLate = () => {
      const seen: BalanceUpdate[] = [];
      balance$.subscribe((update) => seen.push(update)).unsubscribe();
      return seen;
    };
    await vi.advanceTimersByTimeAsync(500);
    paused$.next(true);
    expect(seenLate()).toMatchObject([{ stale: false }]);
    sandbox.account().deposit('BTC', '1', 'main');
    await vi.advanceTimersByTimeAsync(1600);
    expect(seenLate()).toMatchObject([
      { stale: true, balance: { BTC: { main_balance: '2.5' } }, readAt: updates[0]?.readAt },
    ]);
    paused$.next(false);
    await vi.advanceTimersByTimeAsync(10);
    expect(seenLate()).toMatchObject([{ stale: false, balance: { BTC: { main_balance: '3.5' } } }]);
    expect(updates.map(({ stale }) => stale)).toEqual([false, false]);
  });

  it('is stale for a subscriber during a slow poll only when the balance is older than everyMs and 1 s', async () => {
    const { sandbox, watch } = setup();
    const { balance$ } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'slow', delayMs: 3000, path: balancePath });
    const seenLate: boolean[] = [];
    for (const waitMs of [1200, 800]) {
      await vi.advanceTimersByTimeAsync(waitMs);
      balance$.pipe(take(1)).subscribe(({ stale }) => seenLate.push(stale));
    }
    expect(seenLate).toEqual([false, true]);
  });

  it('never has two polls in flight, however slow the exchange is', async () => {
    const { sandbox, polls, watch } = setup();
    sandbox.fault({ kind: 'slow', delayMs: 5000, times: 100 });
    const { updates } = watch({ everyMs: 10 });
    await vi.advanceTimersByTimeAsync(4990);
    expect([polls(), updates.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(5010);
    expect([polls(), updates.length]).toEqual([2, 1]);
  });

  it('leaves no request or timer when it is unsubscribed in a poll, in the queue or in a pause', async () => {
    for (const [ms, limit] of [
      [20, 10],
      [150, 10],
      [500, 1],
    ] as const) {
      const { sandbox, watch } = setup({ limits: { mainAccount: { limit, windowMs: 100 } } });
      sandbox.fault({ kind: 'slow', delayMs: 100, times: 100 });
      const { subscription } = watch({ everyMs: 100 });
      await vi.advanceTimersByTimeAsync(ms);
      subscription.unsubscribe();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('ends with an error without credentials', async () => {
    const sandbox = createSandbox();
    const { baseUrl, fetch } = sandbox.clientOptions();
    await expect(firstValueFrom(watchBalance(createExchange({ baseUrl, fetch })))).rejects.toThrow(RequestError);
  });

  it('goes on polling when refreshOn fails', async () => {
    const { polls, watch } = setup();
    const hint$ = new Subject<void>();
    const { updates, subscription } = watch({ refreshOn: hint$ });
    await vi.advanceTimersByTimeAsync(500);
    hint$.error(new Error('the feed of hints broke'));
    await vi.advanceTimersByTimeAsync(2000);
    expect([polls(), updates.length, subscription.closed]).toEqual([3, 3, false]);
    expect(updates.at(-1)).toMatchObject({ stale: false });
  });

  it('ends with the error of pauseWhile', async () => {
    const { exchange } = setup();
    const broken$ = new Subject<boolean>();
    const end = expect(
      firstValueFrom(watchBalance(exchange, { pauseWhile: broken$ }).pipe(filter(() => false))),
    ).rejects.toBe('broken');
    broken$.error('broken');
    await end;
  });

  it('survives a subscriber that leaves, and another that comes, while an update is emitted', async () => {
    const { exchange, polls } = setup();
    const balance$ = watchBalance(exchange, { everyMs: 1000 });
    const inner: unknown[] = [];
    balance$.pipe(take(1)).subscribe(() => balance$.subscribe((item) => inner.push(item)));
    await vi.advanceTimersByTimeAsync(4000);
    expect(inner.length).toBeGreaterThan(1);
    expect(polls()).toBe(5);
  });

  it('goes on polling when the clock of the machine goes backwards', async () => {
    const { polls, watch } = setup();
    watch();
    await vi.advanceTimersByTimeAsync(1500);
    vi.setSystemTime(Date.now() - 3_600_000);
    // The exchange has the same clock here: it refuses the nonces of signed requests once.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(polls()).toBeGreaterThan(4);
  });

  it('is stale for a subscriber who comes late in a pause, although the clock was set back', async () => {
    const { watch } = setup();
    const pauseWhile = new Subject<boolean>();
    const { balance$ } = watch({ pauseWhile });
    await vi.advanceTimersByTimeAsync(10);
    pauseWhile.next(true);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await firstValueFrom(balance$)).toMatchObject({ stale: true });
  });

  it('refuses invalid pauses', () => {
    const { exchange } = setup();
    expect(() => watchBalance(exchange, { everyMs: 0 })).toThrow('everyMs 0 must be above 0');
  });
});

/** An exchange whose balances are these, poll by poll; the last one stays. */
function polled(...balances: readonly unknown[]) {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(balances[Math.min(sent.length, balances.length) - 1]));
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    fetch,
  });
  const updates: BalanceUpdate[] = [];
  watchBalance(exchange, { everyMs: 1000 }).subscribe((update) => updates.push(update));
  return updates;
}

describe('an asset that cannot be read', () => {
  const whole = { BTC: { main_balance: '1' }, USDT: { main_balance: '5' } };
  const odd = { BTC: { main_balance: null }, USDT: { main_balance: '6' } };

  it('keeps its last balance and is listed in staleAssets, while the others go on', async () => {
    const updates = polled(whole, odd, odd, { BTC: { main_balance: '1.5' }, USDT: { main_balance: '6' } });
    await vi.advanceTimersByTimeAsync(3500);
    const usdt = { asset: 'USDT', before: '5', after: '6', delta: '1' };
    const btc = { asset: 'BTC', before: '1', after: '1.5', delta: '0.5' };
    expect(updates).toMatchObject([
      { balance: whole, changes: [], staleAssets: [], stale: false },
      {
        balance: { BTC: { main_balance: '1' }, USDT: { main_balance: '6' } },
        changes: [usdt],
        staleAssets: ['BTC'],
        stale: false,
      },
      { balance: { BTC: { main_balance: '1' }, USDT: { main_balance: '6' } }, changes: [], staleAssets: ['BTC'] },
      { balance: { BTC: { main_balance: '1.5' }, USDT: { main_balance: '6' } }, changes: [btc], staleAssets: [] },
    ]);
  });

  it('disappears when a later poll that can be read does not contain it', async () => {
    const updates = polled(whole, odd, { USDT: { main_balance: '6' } });
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[2]).toMatchObject({
      changes: [{ asset: 'BTC', before: '1', after: '0', delta: '-1' }],
      staleAssets: [],
    });
    expect(updates[2]?.balance).not.toHaveProperty('BTC');
  });

  it('is missing before its first balance is read, which is no change', async () => {
    const updates = polled(odd, odd, whole);
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[0]?.balance).toEqual({ USDT: { main_balance: '6' } });
    expect(updates).toMatchObject([
      { staleAssets: ['BTC'] },
      { staleAssets: ['BTC'] },
      { changes: [{ asset: 'USDT' }], staleAssets: [] },
    ]);
    expect(updates[2]?.changes).toHaveLength(1);
  });

  it('has a balance of 0 when the last poll that could be read did not contain it', async () => {
    const updates = polled({ USDT: { main_balance: '5' } }, odd, {
      BTC: { main_balance: '1' },
      USDT: { main_balance: '6' },
    });
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[1]).toMatchObject({ balance: { BTC: { main_balance: '0' } }, staleAssets: ['BTC'] });
    expect(updates[1]?.changes).toMatchObject([{ asset: 'USDT' }]);
    expect(updates[2]?.changes).toEqual([{ asset: 'BTC', before: '0', after: '1', delta: '1' }]);
  });

  it('stays listed in staleAssets while polls fail', async () => {
    const updates = polled(whole, odd, 'no balance');
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[2]).toMatchObject({
      balance: { BTC: { main_balance: '1' } },
      stale: true,
      staleAssets: ['BTC'],
      error: { kind: 'response' },
    });
  });
});

describe('the changes of a balance', () => {
  it('has no change for an asset that one of the balances omits because it could not be read', async () => {
    const odd = { BTC: { main_balance: null }, USDT: { main_balance: '6' } };
    const { fetch } = recordingFetch(() => jsonAnswer(odd));
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      fetch,
    });
    const [partial, whole] = [
      await firstValueFrom(exchange.account.mainBalance()),
      { BTC: { main_balance: '1' }, USDT: { main_balance: '6' } },
    ];
    expect([mainWallet.changes(whole, partial), mainWallet.changes(partial, whole)]).toEqual([[], []]);
  });

  it('compares decimals exactly, in any notation', () => {
    const before = {
      BTC: { main_balance: '1.0' },
      ETH: { main_balance: '0.3' },
      USDT: { main_balance: '9007199254740993.1' },
    };
    const after = {
      BTC: { main_balance: '1.000' },
      ETH: { main_balance: '0.1' },
      USDT: { main_balance: '9007199254740993.2' },
    };
    expect(mainWallet.changes(before, after)).toEqual([
      { asset: 'ETH', before: '0.3', after: '0.1', delta: '-0.2' },
      { asset: 'USDT', before: '9007199254740993.1', after: '9007199254740993.2', delta: '0.1' },
    ]);
  });

  it('counts a missing asset as 0', () => {
    expect(mainWallet.changes({ BTC: { main_balance: '0' } }, {})).toEqual([]);
    expect(mainWallet.changes({}, { BTC: { main_balance: '2' } })).toEqual([
      { asset: 'BTC', before: '0', after: '2', delta: '2' },
    ]);
  });
});
