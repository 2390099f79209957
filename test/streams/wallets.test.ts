// The balances of the spot and the collateral wallet, and of all wallets together, on the sandbox and on fake time.
import { createExchange, RequestError, watchBalance, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, scripted } from './scripted.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setup() {
  const balances = { main: { BTC: '2' }, trade: { BTC: '1', USDT: '50000' }, collateral: { USDT: '1000' } };
  const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'main', balances }] });
  return { sandbox, exchange: createExchange(sandbox.clientOptions()) };
}

describe('watchBalance', () => {
  it('emits the spot wallet with the changes that a trade makes', async () => {
    const { exchange } = setup();
    const updates = collect(watchBalance(exchange, { wallet: 'spot', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.1' }).subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates).toMatchObject([
      { balance: { BTC: { available: '1' } }, changes: [], stale: false },
      { balance: { BTC: { available: '1.1' } }, stale: false, staleAssets: [] },
    ]);
    expect(updates[1]?.changes).toContainEqual({
      asset: 'BTC',
      of: 'available',
      before: '1',
      after: '1.1',
      delta: '0.1',
    });
  });

  it('emits the collateral wallet', async () => {
    const { sandbox, exchange } = setup();
    const updates = collect(watchBalance(exchange, { wallet: 'collateral', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.account().deposit('USDT', '5', 'collateral');
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates[0]).toMatchObject({ balance: { USDT: '1000' }, changes: [] });
    expect(updates[1]).toMatchObject({
      balance: { USDT: '1005' },
      changes: [{ asset: 'USDT', before: '1000', after: '1005', delta: '5' }],
    });
  });

  it('emits all wallets together, and says which wallet changed', async () => {
    const { sandbox, exchange } = setup();
    const updates = collect(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.account().deposit('BTC', '1', 'main');
    sandbox.account().deposit('BTC', '-0.5', 'trade');
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates[0]).toMatchObject({
      balance: {
        main: { BTC: { main_balance: '2' } },
        spot: { BTC: { available: '1' } },
        collateral: { USDT: '1000' },
      },
      changes: [],
    });
    expect(updates[1]?.changes).toEqual([
      { wallet: 'main', asset: 'BTC', before: '2', after: '3', delta: '1' },
      { wallet: 'spot', of: 'available', asset: 'BTC', before: '1', after: '0.5', delta: '-0.5' },
    ]);
  });

  it('marks all wallets as stale when one of them cannot be read', async () => {
    const { sandbox, exchange } = setup();
    const updates = collect(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: '/api/v4/collateral-account/balance' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(updates[1]).toMatchObject({
      stale: true,
      error: { kind: 'unavailable', endpoint: 'collateral.balance' },
      balance: updates[0]?.balance,
      readAt: updates[0]?.readAt,
    });
  });

  it('reads one wallet only', async () => {
    for (const [wallet, path] of [
      ['main', '/api/v4/main-account/balance'],
      ['spot', '/api/v4/trade-account/balance'],
      ['collateral', '/api/v4/collateral-account/balance'],
    ] as const) {
      const { sandbox, exchange } = setup();
      const watching = (watchBalance as (...args: readonly unknown[]) => Observable<unknown>)(exchange, { wallet });
      watching.subscribe();
      await vi.advanceTimersByTimeAsync(100);
      expect(sandbox.ledger.requests.map((request) => request.path)).toEqual([path]);
    }
  });

  it('rejects an unknown wallet, and an exchange without the group of the wallet', () => {
    const { exchange } = setup();
    const watch = watchBalance as (exchange: Partial<Exchange>, options: unknown) => unknown;
    expect(() => watch(exchange, { wallet: 'trade' })).toThrow(
      'wallet "trade" must be one of main, spot, collateral, all',
    );
    expect(() => watch({ account: exchange.account }, { wallet: 'spot' })).toThrow(
      'lacks a group of endpoints for wallet spot',
    );
  });

  it.each(['main', 'spot', 'collateral', 'all'])('ends with an error without credentials: %s', async (wallet) => {
    const { baseUrl, fetch } = createSandbox().clientOptions();
    const watch = watchBalance as (...args: readonly unknown[]) => Observable<unknown>;
    await expect(firstValueFrom(watch(createExchange({ baseUrl, fetch }), { wallet }))).rejects.toThrow(RequestError);
  });
});

describe('an asset of the spot wallet that cannot be read', () => {
  it('keeps its last amounts and has no change', async () => {
    const bodies = [
      { BTC: { available: '1', freeze: '0' }, USDT: { available: '5', freeze: '1' } },
      { BTC: { available: null }, ETH: { available: null }, USDT: { available: '6', freeze: '1' } },
      { BTC: { available: '2', freeze: '0' }, ETH: { available: '7' }, USDT: { available: '6' } },
    ];
    const { exchange } = scripted(bodies);
    const updates = collect(watchBalance(exchange, { wallet: 'spot', everyMs: 1000 }));
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
});

describe('an asset that cannot be read of one of all wallets', () => {
  it('keeps its last amount, and is listed with its wallet while it is unreadable', async () => {
    const main = ['1', null, '3'].map((amount) => ({ BTC: { main_balance: amount }, USDT: { main_balance: '5' } }));
    let polls = 0;
    const { exchange } = scripted(({ url }) => (url.includes('main-account') ? main[polls++] : {}));
    const updates = collect(watchBalance(exchange, { wallet: 'all', everyMs: 1000 }));
    await vi.advanceTimersByTimeAsync(2500);
    expect(updates.map(({ balance }) => balance.main['BTC']?.main_balance)).toEqual(['1', '1', '3']);
    const btc = { wallet: 'main', asset: 'BTC' };
    expect(updates.map(({ staleAssets }) => staleAssets)).toEqual([[], [btc], []]);
    expect(updates.flatMap(({ changes }) => changes)).toMatchObject([{ ...btc, before: '1', after: '3' }]);
  });
});
