// The balances of the wallets, watched, on the sandbox and on fake time.
import {
  createExchange,
  RequestError,
  watchBalance,
  type AllBalancesUpdate,
  type BalanceUpdate,
  type Exchange,
  type ExchangeOptions,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, Subject, type Observable } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collateralWallet } from '../../src/streams/wallets.js';
import { useFakeTimers } from '../support/fake-timers.js';
import { jsonAnswer, recordingFetch, type Sent } from '../support/recording-fetch.js';
import { collected } from '../support/watch.js';

const balancePath = '/api/v4/main-account/balance';

useFakeTimers();

/** The random pause after a failed poll is as long as it may be. */
function backOffLongest() {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
  onTestFinished(() => {
    random.mockRestore();
  });
}

function setup(options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const polls = () => sandbox.ledger.requests.filter(({ path }) => path === balancePath).length;
  const watch = (settings: Parameters<typeof watchBalance>[1] = {}) => {
    const updates: BalanceUpdate[] = [];
    const balance$ = watchBalance(exchange, { everyMs: 1000, ...settings });
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

  it('gives a late subscriber the last balance and its readAt without changes', async () => {
    const { sandbox, watch } = setup();
    const begin = Date.now();
    const { balance$ } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.account().deposit('BTC', '0.1', 'main');
    await vi.advanceTimersByTimeAsync(600);
    const afterChange = collected(balance$);
    const balance = { BTC: { main_balance: '2.6' } };
    expect(afterChange).toMatchObject([{ balance, changes: [], readAt: begin + 1000 }]);
    await vi.advanceTimersByTimeAsync(5000);
    const later = collected(balance$);
    expect(later).toMatchObject([{ changes: [], readAt: begin + 6000, stale: false }]);
    sandbox.account().deposit('BTC', '0.1', 'main');
    await vi.advanceTimersByTimeAsync(1000);
    const change = [{ asset: 'BTC', delta: '0.1' }];
    expect([later.at(-1), afterChange.at(-1)]).toMatchObject([{ changes: change }, { changes: change }]);
  });

  it('keeps the balance as stale after a failed poll until a poll succeeds', async () => {
    backOffLongest();
    const { sandbox, watch } = setup();
    const { updates } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: balancePath, times: 2 });
    await vi.advanceTimersByTimeAsync(6500);
    expect(updates.map(({ stale }) => stale)).toEqual([false, true, true, false, false]);
    const [first, , stale, fresh] = updates;
    const { balance, readAt } = first ?? {};
    expect(stale).toMatchObject({ stale: true, error: { kind: 'unavailable' }, balance, readAt, changes: [] });
    expect(fresh).toMatchObject({ stale: false, changes: [] });
    expect(fresh).not.toHaveProperty('error');
    expect(fresh?.readAt).toBeGreaterThan(readAt ?? Infinity);
  });

  it('backs off while polls fail, up to a maximum, and polls as before after a success', async () => {
    backOffLongest();
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

  it('shares one poll among 1,000 subscribers, stops with the last one, and starts again with the next', async () => {
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
    balance$.subscribe();
    await vi.advanceTimersByTimeAsync(10);
    expect(polls()).toBe(3);
  });

  it.each([
    [20, [1, 2]],
    [9_999_999, [1, 1]],
  ])('waits for a Retry-After of %i s', async (retryAfterSeconds, expected) => {
    const { sandbox, polls, watch } = setup();
    sandbox.fault({ kind: 'status', path: balancePath, times: 1, retryAfterSeconds });
    watch();
    await vi.advanceTimersByTimeAsync(20_500);
    const before = polls();
    await vi.advanceTimersByTimeAsync(1000);
    expect([before, polls()]).toEqual(expected);
  });

  it('is stale for a subscriber that comes while a poll hangs', async () => {
    const { sandbox, watch } = setup();
    const { balance$, updates } = watch();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'hang', path: balancePath });
    await vi.advanceTimersByTimeAsync(4000);
    const late = collected(balance$);
    expect([updates.length, updates[0]?.stale]).toEqual([1, false]);
    expect(late).toMatchObject([{ stale: true, balance: { BTC: { main_balance: '2.5' } } }]);
  });

  it('polls at once when refreshOn emits, such as after an order, and goes on polling when it fails', async () => {
    const { polls, watch } = setup();
    const hint$ = new Subject<void>();
    const { updates, subscription } = watch({ everyMs: 1000, refreshOn: hint$ });
    await vi.advanceTimersByTimeAsync(10);
    hint$.next();
    await vi.advanceTimersByTimeAsync(490);
    expect(polls()).toBe(2);
    hint$.error(new Error('the feed of hints broke'));
    await vi.advanceTimersByTimeAsync(2000);
    expect([polls(), updates.length, subscription.closed]).toEqual([4, 4, false]);
    expect(updates.at(-1)).toMatchObject({ stale: false });
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
});

function threeWallets() {
  const balances = { main: { BTC: '2' }, trade: { BTC: '1', USDT: '50000' }, collateral: { USDT: '1000' } };
  const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'main', balances }] });
  return { sandbox, exchange: createExchange(sandbox.clientOptions()) };
}

const changesOf = (updates: readonly AllBalancesUpdate[]) =>
  updates.flatMap((update) =>
    (['main', 'spot', 'collateral'] as const).flatMap((wallet) =>
      update[wallet].changes.map((change) => ({ wallet, ...change })),
    ),
  );

/** For options that no overload has. */
const watchAny = watchBalance as (exchange: Partial<Exchange>, options: object) => Observable<unknown>;

describe('watchBalance of each wallet', () => {
  it('emits all wallets together, and says which wallet changed', async () => {
    const { sandbox, exchange } = threeWallets();
    const updates = collected(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.account().deposit('BTC', '1', 'main');
    sandbox.account().deposit('BTC', '-0.5', 'trade');
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates[0]).toMatchObject({
      main: { balance: { BTC: { main_balance: '2' } }, changes: [] },
      spot: { balance: { BTC: { available: '1' } }, changes: [] },
      collateral: { balance: { USDT: '1000' }, changes: [] },
    });
    expect(changesOf(updates)).toEqual([
      { wallet: 'main', asset: 'BTC', before: '2', after: '3', delta: '1' },
      { wallet: 'spot', of: 'available', asset: 'BTC', before: '1', after: '0.5', delta: '-0.5' },
    ]);
  });

  it('is stale in the wallet that cannot be read, and keeps its balance', async () => {
    const { sandbox, exchange } = threeWallets();
    const updates = collected(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: '/api/v4/collateral-account/balance' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates.at(-1)).toMatchObject({
      main: { stale: false },
      collateral: { stale: true, error: { kind: 'unavailable' }, balance: { USDT: '1000' } },
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(updates.at(-1)?.collateral).toMatchObject({ stale: false });
  });

  it.each([
    ['main', '/api/v4/main-account/balance'],
    ['spot', '/api/v4/trade-account/balance'],
    ['collateral', '/api/v4/collateral-account/balance'],
  ])('reads the wallet %s only, and ends with an error without credentials', async (wallet, path) => {
    const { sandbox, exchange } = threeWallets();
    watchAny(exchange, { wallet }).subscribe();
    await vi.advanceTimersByTimeAsync(100);
    expect(sandbox.ledger.requests.map((request) => request.path)).toEqual([path]);
    const { baseUrl, fetch } = sandbox.clientOptions();
    const anonymous = createExchange({ baseUrl, fetch });
    for (const one of [wallet, 'all'])
      await expect(firstValueFrom(watchAny(anonymous, { wallet: one }))).rejects.toThrow(RequestError);
  });

  it('rejects an unknown wallet', () => {
    const act = () => watchAny(threeWallets().exchange, { wallet: 'trade' });
    expect(act).toThrow('wallet "trade" must be one of main, spot, collateral, all');
  });
});

/** Each client has its own address: those of one address share their limits. */
let addresses = 0;

/** A client of an exchange that responds with these bodies, one for each request; the last one stays. */
function scripted(bodies: readonly unknown[] | ((sent: Sent) => unknown)): Exchange {
  const { fetch, sent } = recordingFetch((one) =>
    jsonAnswer(typeof bodies === 'function' ? bodies(one) : bodies[Math.min(sent.length, bodies.length) - 1]),
  );
  addresses += 1;
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  return createExchange({ baseUrl: `https://scripted-${addresses}.example`, credentials, fetch });
}

describe('an asset that cannot be read', () => {
  const amounts = (btc: string | null | undefined, usdt: string) => ({
    ...(btc === undefined ? {} : { BTC: { main_balance: btc } }),
    USDT: { main_balance: usdt },
  });
  const odd = amounts(null, '6');
  /** The balance of BTC and of USDT, the changes, and what is stale. */
  const shown = ({ balance, changes, staleAssets, ...update }: BalanceUpdate) =>
    [
      `${balance['BTC']?.main_balance ?? 'none'} and ${balance['USDT']?.main_balance ?? 'none'}`,
      ...changes.map(({ asset, before, after, delta }) => `${asset} ${before} to ${after}: ${delta}`),
      ...staleAssets.map((asset) => `stale ${asset}`),
      ...(update.stale ? [`stale, ${update.error?.kind ?? ''}`] : []),
    ].join(', ');

  it.each([
    [
      'keeps its last balance and is listed in staleAssets, while the others go on',
      [amounts('1', '5'), odd, odd, amounts('1.5', '6')],
      ['1 and 5', '1 and 6, USDT 5 to 6: 1, stale BTC', '1 and 6, stale BTC', '1.5 and 6, BTC 1 to 1.5: 0.5'],
    ],
    [
      'disappears when a later poll that can be read does not contain it',
      [amounts('1', '5'), odd, amounts(undefined, '6')],
      ['1 and 5', '1 and 6, USDT 5 to 6: 1, stale BTC', 'none and 6, BTC 1 to 0: -1'],
    ],
    [
      'is missing before its first balance is read, which is no change',
      [odd, odd, amounts('1', '5')],
      ['none and 6, stale BTC', 'none and 6, stale BTC', '1 and 5, USDT 6 to 5: -1'],
    ],
    [
      'has a balance of 0 when the last poll that could be read did not contain it',
      [amounts(undefined, '5'), odd, amounts('1', '6')],
      ['none and 5', '0 and 6, USDT 5 to 6: 1, stale BTC', '1 and 6, BTC 0 to 1: 1'],
    ],
    [
      'stays listed in staleAssets while polls fail',
      [amounts('1', '5'), odd, 'no balance'],
      ['1 and 5', '1 and 6, USDT 5 to 6: 1, stale BTC', '1 and 6, stale BTC, stale, response'],
    ],
  ])('%s', async (_, bodies, expected) => {
    const updates = collected(watchBalance(scripted(bodies), { everyMs: 1000 }), shown);
    await vi.advanceTimersByTimeAsync(expected.length * 1000 - 500);
    expect(updates).toEqual(expected);
  });

  it('of the spot wallet keeps its last amounts and has no change', async () => {
    const bodies = [
      { BTC: { available: '1', freeze: '0' }, USDT: { available: '5', freeze: '1' } },
      { BTC: { available: null }, ETH: { available: null }, USDT: { available: '6', freeze: '1' } },
      { BTC: { available: '2', freeze: '0' }, ETH: { available: '7' }, USDT: { available: '6' } },
    ];
    const updates = collected(watchBalance(scripted(bodies), { wallet: 'spot', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates[1]).toMatchObject({
      balance: { BTC: { available: '1' }, ETH: { available: '0' }, USDT: { available: '6' } },
      staleAssets: ['BTC', 'ETH'],
    });
    expect(updates[1]?.changes.map(({ asset, of }) => [asset, of])).toEqual([['USDT', 'available']]);
    // An amount that a response lacks is unknown: it did not change to 0.
    expect(updates[2]?.changes.map(({ asset, of, delta }) => [asset, of, delta])).toEqual([
      ['BTC', 'available', '1'],
      ['ETH', 'available', '7'],
    ]);
  });

  it('of one of all wallets is listed in its update', async () => {
    const main = ['1', null, '3'].map((amount) => ({ BTC: { main_balance: amount }, USDT: { main_balance: '5' } }));
    let polls = 0;
    const exchange = scripted(({ url }) => (url.includes('main-account') ? main[polls++] : {}));
    const updates = collected(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(2500);
    const shown = updates.map(({ main }) => `${main.balance['BTC']?.main_balance}, stale: ${main.staleAssets.join()}`);
    expect([...new Set(shown)]).toEqual(['1, stale: ', '1, stale: BTC', '3, stale: ']);
    expect(changesOf(updates)).toMatchObject([{ wallet: 'main', asset: 'BTC', before: '1', after: '3' }]);
  });

  it('of all wallets is not in the first update, even when one was read more often than another', async () => {
    const sandbox = createSandbox();
    const { fetch, ...options } = sandbox.clientOptions();
    const slowly: typeof fetch = async (url, init) => {
      if (new Request(url, init).url.includes('/collateral-account/'))
        await new Promise((resolve) => setTimeout(resolve, 3500));
      else sandbox.account().deposit('BTC', '1', 'trade');
      return fetch(url, init);
    };
    const exchange = createExchange({ ...options, fetch: slowly });
    const updates = collected(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(updates[0]?.spot.changes).toEqual([]);
    expect(changesOf(updates)[0]).toMatchObject({ wallet: 'spot', asset: 'BTC' });
  });
});

it('the changes of a balance compare decimals exactly, in any notation, and count a missing asset as 0', () => {
  const before = { BTC: '1.0', ETH: '0.3', USDT: '9007199254740993.1', XRP: '0' };
  const after = { BTC: '1.000', ETH: '0.1', USDT: '9007199254740993.2', ADA: '2' };
  expect(collateralWallet.changes(before, after)).toEqual([
    { asset: 'ETH', before: '0.3', after: '0.1', delta: '-0.2' },
    { asset: 'USDT', before: before.USDT, after: after.USDT, delta: '0.1' },
    { asset: 'ADA', before: '0', after: '2', delta: '2' },
  ]);
});
