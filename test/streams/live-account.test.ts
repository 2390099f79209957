// Balances from the live connection, and from polls while it has none.
import { watchBalance, type SpotBalanceUpdate } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { ms, onFakeTime } from '../live/setup.js';
import { accountSetup, json } from '../live/my/account-exchange.js';
import { collected } from '../support/watch.js';

onFakeTime();

const paths = {
  main: '/api/v4/main-account/balance',
  spot: '/api/v4/trade-account/balance',
  collateral: '/api/v4/collateral-account/balance',
};

/** An account whose responses over REST are these, by path; 503 for any other. */
function setup(responses: Readonly<Record<string, unknown>>) {
  const all = accountSetup();
  const requests: string[] = [];
  all.account.rest = (path) => {
    requests.push(path);
    const body = responses[path];
    return body === undefined ? json(503, {}) : json(200, body);
  };
  return { ...all, requests };
}

const live = true;

const spotOf = (available: string) => ({ USDT: { available, freeze: '0' } });

const shown = ({ balance, stale }: SpotBalanceUpdate) => `${balance['USDT']?.available}${stale ? ' stale' : ''}`;

/** The spot balance of an account with 100 USDT on the connection, and 1 USDT over REST. */
function watchSpot(everyMs = 1000) {
  const all = setup({ [paths.spot]: spotOf('1') });
  const balance$ = watchBalance(all.exchange, { wallet: 'spot', live, everyMs });
  return {
    ...{ ...all, balance$, updates: collected(balance$) },
    cut: () => {
      all.server.accepts = false;
      all.server.last.end();
    },
  };
}

describe('watchBalance with live: true', () => {
  it('emits the balance of the spot wallet as it is pushed, with its changes, and does not poll', async () => {
    const { server, requests, updates } = watchSpot();
    await ms(1000);
    server.last.push('balanceSpot_update', [{ USDT: { available: '90', freeze: '10' } }]);
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
    const { requests, updates, cut } = watchSpot();
    await ms(2000);
    requests.length = 0;
    cut();
    await ms(500);
    expect([updates.at(-1)?.stale, requests.length]).toEqual([true, 0]);
    await ms(2000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: { available: '1' } }, stale: false });
    expect(requests.length).toBeGreaterThan(0);
  });

  it.each([
    ['has the amounts of the collateral wallet', { balance: '7' }, '7'],
    ['polls the collateral wallet where an asset has no balance', { borrow: '0' }, '5'],
  ])('%s', async (_, ofConnection, expected) => {
    const { account, exchange } = setup({ [paths.collateral]: { USDT: '5' } });
    account.results.set('balanceMargin_request', { USDT: ofConnection });
    const updates = collected(watchBalance(exchange, { wallet: 'collateral', live, everyMs: 1000 }));
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: expected }, stale: false });
  });

  it('polls the main wallet of all wallets only, and takes the others from the connection', async () => {
    const { account, server, exchange, requests } = setup({
      ...{ [paths.main]: { BTC: { main_balance: '3' } }, [paths.spot]: {}, [paths.collateral]: {} },
    });
    account.results.set('balanceMargin_request', { USDT: { balance: '7' } });
    const updates = collected(watchBalance(exchange, { wallet: 'all', live, everyMs: 1000 }));
    await ms(1500);
    requests.length = 0;
    server.last.push('balanceSpot_update', [{ USDT: { available: '90', freeze: '10' } }]);
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({
      main: { balance: { BTC: { main_balance: '3' } }, stale: false },
      spot: { balance: { USDT: { available: '90', freeze: '10' } }, stale: false },
      collateral: { balance: { USDT: '7' }, stale: false },
    });
    expect(new Set(requests)).toEqual(new Set([paths.main]));
  });

  it('shows no main balance that is older than the one before, when the connection comes back', async () => {
    const { account, server, exchange, requests } = setup({ [paths.spot]: {}, [paths.collateral]: {} });
    const { rest } = account;
    // The main balance is the time of its request.
    account.rest = (path, body) => {
      const response = rest(path, body);
      return path === paths.main ? json(200, { BTC: { main_balance: String(Date.now()) } }) : response;
    };
    const updates = collected(watchBalance(exchange, { wallet: 'all', live, everyMs: 5000 }));
    await ms(6200);
    server.accepts = false;
    server.last.end();
    await ms(10_300);
    server.accepts = true;
    requests.length = 0;
    await ms(60_000);
    const shown = updates.map(({ main }) => Number(main.balance['BTC']?.main_balance));
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    const last = updates.slice(-3).flatMap(({ main, spot, collateral }) => [main, spot, collateral]);
    expect(last.filter(({ stale }) => stale)).toEqual([]);
    expect(requests.slice(-5)).toEqual(Array.from({ length: 5 }, () => paths.main));
  });

  it('polls an account whose connection the exchange does not authorize', async () => {
    const { account, updates } = watchSpot();
    account.issue = () => json(401, { message: 'This action is unauthorized.', code: 0 });
    await ms(5000);
    expect(updates.at(-1)).toMatchObject({ balance: { USDT: { available: '1' } }, stale: false });
    expect(updates.length).toBeGreaterThan(3);
  });

  it('is not stale to a late subscriber, however long it has not changed', async () => {
    const { balance$ } = watchSpot();
    await ms(9000);
    expect(collected(balance$).map(shown)).toEqual(['100']);
  });

  it.each([200, 503])('is not changed by a poll that was sent before it and ends with %i', async (status) => {
    const { account, updates, cut } = watchSpot(10_000);
    account.rest = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return json(status, spotOf('1'));
    };
    await ms(2000);
    cut();
    await ms(5000);
    expect(updates.map(shown)).toEqual(['100', '100 stale']);
  });

  it('comes at most once in everyMs', async () => {
    const { server, updates } = watchSpot(5000);
    await ms(1000);
    const before = updates.length;
    for (let second = 1; second <= 9; second += 1) {
      server.last.push('balanceSpot_update', [spotOf(String(second))]);
      await ms(1000);
    }
    expect(updates.slice(before).map(shown)).toEqual(['5']);
  });

  it('is refused for the main wallet, which the exchange does not push', () => {
    const watch = watchBalance as (exchange: object, options: object) => unknown;
    expect(() => watch(setup({}).exchange, { wallet: 'main', live })).toThrow(/does not push the main balance/);
  });
});
