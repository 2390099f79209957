// Balances and positions from the live connection, and from polls while it has none.
import { watchBalance, watchPositions } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { ms } from '../live/hostile/hostile-exchange.js';
import { accountSetup, json } from '../live/my/account-exchange.js';
import { onFakeTime } from '../live/setup.js';
import { collect } from './scripted.js';

onFakeTime();

const paths = {
  main: '/api/v4/main-account/balance',
  spot: '/api/v4/trade-account/balance',
  collateral: '/api/v4/collateral-account/balance',
  positions: '/api/v4/collateral-account/positions/open',
};

let addresses = 0;

/** An account whose responses over REST are these, by path; 503 for any other. */
function setup(responses: Readonly<Record<string, unknown>>) {
  addresses += 1;
  const all = accountSetup({}, { baseUrl: `https://live-account-${addresses}.example` });
  const requests: string[] = [];
  all.account.rest = (path) => {
    requests.push(path);
    const body = responses[path];
    return body === undefined ? json(503, {}) : json(200, body);
  };
  return { ...all, requests };
}

const live = true;

describe('watchBalance with live: true', () => {
  it('emits the balance of the spot wallet as it is pushed, with its changes, and does not poll', async () => {
    const { account, world, exchange, requests } = setup({ [paths.spot]: { USDT: { available: '1', freeze: '0' } } });
    account.results.set('balanceSpot_request', { USDT: { available: '100', freeze: '0' } });
    const updates = collect(watchBalance(exchange, { wallet: 'spot', live, everyMs: 1000 }));
    await ms(1000);
    world.wire.push('balanceSpot_update', [{ USDT: { available: '90', freeze: '10' } }]);
    await ms(30_000);
    expect(updates.slice(-1)).toMatchObject([
      {
        balance: { USDT: { available: '90', freeze: '10' } },
        changes: [
          { asset: 'USDT', of: 'available', delta: '-10' },
          { asset: 'USDT', of: 'freeze', delta: '10' },
        ],
        stale: false,
      },
    ]);
    expect(requests).toEqual([paths.spot]);
  });

  it('polls while the connection is down, and not before everyMs', async () => {
    const { account, world, exchange, requests } = setup({ [paths.spot]: { USDT: { available: '1', freeze: '0' } } });
    account.results.set('balanceSpot_request', { USDT: { available: '100', freeze: '0' } });
    const updates = collect(watchBalance(exchange, { wallet: 'spot', live, everyMs: 1000 }));
    await ms(2000);
    requests.length = 0;
    world.refusesConnections = true;
    world.wire.cut();
    await ms(500);
    expect([updates.at(-1)?.stale, requests.length]).toEqual([true, 0]);
    await ms(2000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: { available: '1' } }, stale: false });
    expect(requests.length).toBeGreaterThan(0);
  });

  it('has the amounts of the collateral wallet', async () => {
    const { account, exchange } = setup({});
    account.results.set('balanceMargin_request', { USDT: { balance: '7', borrow: '0' }, BTC: { balance: '1' } });
    const updates = collect(watchBalance(exchange, { wallet: 'collateral', live }));
    await ms(1000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: '7', BTC: '1' }, stale: false });
  });

  it('polls the collateral wallet where a pushed asset has no balance', async () => {
    const { account, exchange } = setup({ [paths.collateral]: { USDT: '5' } });
    account.results.set('balanceMargin_request', { USDT: { borrow: '0' } });
    const updates = collect(watchBalance(exchange, { wallet: 'collateral', live, everyMs: 1000 }));
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: '5' }, stale: false });
  });

  it('polls the main wallet of all wallets only, and takes the others from the connection', async () => {
    const { account, world, exchange, requests } = setup({
      ...{ [paths.main]: { BTC: { main_balance: '3' } }, [paths.spot]: {}, [paths.collateral]: {} },
    });
    account.results.set('balanceSpot_request', { USDT: { available: '100', freeze: '0' } });
    account.results.set('balanceMargin_request', { USDT: { balance: '7' } });
    const updates = collect(watchBalance(exchange, { wallet: 'all', live, everyMs: 1000 }));
    await ms(1500);
    requests.length = 0;
    world.wire.push('balanceSpot_update', [{ USDT: { available: '90', freeze: '10' } }]);
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({
      balance: {
        main: { BTC: { main_balance: '3' } },
        spot: { USDT: { available: '90', freeze: '10' } },
        collateral: { USDT: '7' },
      },
      stale: false,
    });
    expect(new Set(requests)).toEqual(new Set([paths.main]));
  });

  it('shows no main balance that is older than the one before, when the connection comes back', async () => {
    const { account, world, exchange, requests } = setup({ [paths.spot]: {}, [paths.collateral]: {} });
    const { rest } = account;
    // The main balance is the time of its request.
    account.rest = (path, body) => {
      const response = rest(path, body);
      return path === paths.main ? json(200, { BTC: { main_balance: String(Date.now()) } }) : response;
    };
    account.results.set('balanceSpot_request', {}).set('balanceMargin_request', {});
    const updates = collect(watchBalance(exchange, { wallet: 'all', live, everyMs: 5000 }));
    await ms(6200);
    world.refusesConnections = true;
    world.wire.cut();
    await ms(10_300);
    world.refusesConnections = false;
    requests.length = 0;
    await ms(60_000);
    const shown = updates.map(({ balance }) => Number(balance.main['BTC']?.main_balance));
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    expect(updates.slice(-3).map(({ stale }) => stale)).toEqual([false, false, false]);
    expect(requests.slice(-5)).toEqual(Array.from({ length: 5 }, () => paths.main));
  });

  it('polls an account whose connection the exchange does not authorize', async () => {
    const { account, exchange } = setup({ [paths.spot]: { USDT: { available: '1', freeze: '0' } } });
    account.issue = () => json(401, { message: 'This action is unauthorized.', code: 0 });
    const updates = collect(watchBalance(exchange, { wallet: 'spot', live, everyMs: 1000 }));
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: { available: '1' } }, stale: false });
    expect(updates.length).toBeGreaterThan(3);
  });

  it('is refused for the main wallet, which the exchange does not push', () => {
    const { exchange } = setup({});
    const options = { wallet: 'main', live } as unknown as { readonly wallet: 'main' };
    expect(() => watchBalance(exchange, options)).toThrow(/does not push the main balance/);
  });
});

describe('watchPositions with live: true', () => {
  const pushed = (id: number, market: string, amount: string) => ({ id, market, amount, base_price: '60000' });

  it('emits the positions as they are pushed, with those that were added, changed or have gone', async () => {
    const { world, exchange, requests } = setup({ [paths.positions]: [] });
    const updates = collect(watchPositions(exchange, { live, everyMs: 100 }));
    await ms(1000);
    requests.length = 0;
    const push = async (...records: unknown[]) => {
      world.wire.push('positionsMargin_update', { total: records.length, records });
      await ms(1000);
    };
    await push(pushed(1, 'BTC_PERP', '1'));
    await push(pushed(1, 'BTC_PERP', '2'), pushed(2, 'ETH_PERP', '5'));
    await push(pushed(2, 'ETH_PERP', '5'));
    const shown = updates.slice(-3).map(({ positions, changes }) => ({
      amounts: [...positions.values()].map(({ amount }) => amount),
      changes: changes.map(({ kind }) => kind),
    }));
    expect(shown).toEqual([
      { amounts: ['1'], changes: ['added'] },
      { amounts: ['2', '5'], changes: ['changed', 'added'] },
      { amounts: ['5'], changes: ['gone'] },
    ]);
    expect(requests).toEqual([]);
  });

  it('emits those of one market', async () => {
    const { world, exchange } = setup({ [paths.positions]: [] });
    const updates = collect(watchPositions(exchange, { live, market: 'ETH_PERP', everyMs: 100 }));
    await ms(1000);
    world.wire.push('positionsMargin_update', {
      ...{ total: 2, records: [pushed(1, 'BTC_PERP', '1'), pushed(2, 'ETH_PERP', '5')] },
    });
    await ms(1000);
    expect([...(updates.at(-1)?.positions.keys() ?? [])]).toEqual([2]);
  });
});
