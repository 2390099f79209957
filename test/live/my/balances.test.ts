// The account's balances: whole before their first value, and kept true by pushes.
import type { AccountValue, Exchange, TradeBalance } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../support/live-exchange.js';
import { ms, onFakeTime } from '../setup.js';
import { accountSetup, type Account } from './account-exchange.js';
import { collected } from '../../support/watch.js';

onFakeTime();

const btc = (available: string) => ({ BTC: { available, freeze: '0' } });
const usdt = (available: string) => ({ USDT: { available, freeze: '0' } });
const push = ({ server }: ReturnType<typeof accountSetup>, ...maps: unknown[]) => {
  server.last.push('balanceSpot_update', maps);
};

function watched(exchange: Exchange) {
  const values: AccountValue<TradeBalance>[] = [];
  const errors: unknown[] = [];
  exchange.live.my.balances().subscribe({
    next: (value) => values.push(value),
    error: (error: unknown) => errors.push(error),
  });
  return { values, errors };
}

const shown = (values: readonly AccountValue<TradeBalance>[]) =>
  values.map(
    ({ status, value }) =>
      `${status} ${Object.entries(value)
        .map(([asset, { available }]) => `${asset} ${available}`)
        .join(', ')}`,
  );

function holdQueries(account: Account): ReceivedRequest[] {
  const held: ReceivedRequest[] = [];
  const react = account.react;
  account.react = (got) => {
    if (got.method.endsWith('_request')) held.push(got);
    else react(got);
  };
  return held;
}

describe('live.my.balances', () => {
  it('emits the whole balance first, and then each change', async () => {
    const all = accountSetup();
    all.account.results.set('balanceSpot_request', { ...btc('1'), ...usdt('100') });
    const { values } = watched(all.exchange);
    await ms(1000);
    push(all, usdt('90'));
    push(all, { ...btc('2'), ...usdt('80') }, { ETH: { available: '5', freeze: '1' } });
    expect(shown(values)).toEqual(['live BTC 1, USDT 100', 'live BTC 1, USDT 90', 'live BTC 2, USDT 80, ETH 5']);
  });

  it('emits nothing before the whole balance is known, and then the pushes since it was subscribed', async () => {
    const all = accountSetup();
    const held = holdQueries(all.account);
    const { react } = all.account;
    all.account.react = (got) => {
      // Before the confirmation.
      if (got.method === 'balanceSpot_subscribe') push(all, btc('2'));
      react(got);
    };
    const { values } = watched(all.exchange);
    await ms(1000);
    push(all, usdt('90'));
    expect(values).toEqual([]);
    held[0]?.connection.respond(held[0].id, { ...btc('1'), ...usdt('100') });
    expect(shown(values)).toEqual(['live BTC 2, USDT 90']);
  });

  it('is stale from the loss of the connection until the balance was read again', async () => {
    const all = accountSetup();
    all.account.results.set('balanceSpot_request', { ...btc('1'), ...usdt('100') });
    const { values } = watched(all.exchange);
    await ms(1000);
    const held = holdQueries(all.account);
    all.server.last.end();
    await ms(3000);
    push(all, btc('3'));
    expect(shown(values)).toEqual(['live BTC 1, USDT 100', 'stale BTC 1, USDT 100']);
    held[0]?.connection.respond(held[0].id, { ...btc('2'), ...usdt('50') });
    expect(shown(values).at(-1)).toBe('live BTC 3, USDT 50');
  });

  it('is stale after an unreadable push until the balance was read again, which wins over older pushes', async () => {
    const all = accountSetup();
    all.account.results.set('balanceSpot_request', usdt('100'));
    const { values } = watched(all.exchange);
    await ms(1000);
    push(all, usdt('90'), { BTC: 'no balance' });
    all.account.results.set('balanceSpot_request', { ...btc('2'), ...usdt('80') });
    expect(shown(values).at(-1)).toBe('stale USDT 90');
    await ms(10_000);
    expect(shown(values).at(-1)).toBe('live BTC 2, USDT 80');
  });

  it('is stale when a query of each minute fails, until one succeeds: a push may have been lost', async () => {
    const all = accountSetup();
    all.account.results.set('balanceSpot_request', usdt('100'));
    const { values } = watched(all.exchange);
    await ms(1000);
    const { react } = all.account;
    all.account.refuse('_request', 2, 'internal error');
    await ms(60_000);
    push(all, btc('1'));
    expect(shown(values)).toEqual(['live USDT 100', 'stale USDT 100']);
    all.account.react = react;
    all.account.results.set('balanceSpot_request', { ...btc('1'), ...usdt('80') });
    await ms(2000);
    expect(shown(values).slice(2)).toEqual(['live BTC 1, USDT 80']);
  });

  it('gives a late subscriber the last value at once, by the same subscription', async () => {
    const all = accountSetup();
    all.account.results.set('balanceSpot_request', usdt('100'));
    watched(all.exchange);
    await ms(1000);
    expect(shown(watched(all.exchange).values)).toEqual(['live USDT 100']);
    expect(all.account.subscribed).toHaveLength(1);
  });

  it.each(['balanceSpot_subscribe', 'balanceSpot_request'])('ends with the refusal of %s', async (refused) => {
    const all = accountSetup();
    all.account.refuse(refused, 6, 'require authentication');
    const { errors } = watched(all.exchange);
    await ms(1000);
    expect(errors).toMatchObject([{ kind: 'live-refused', code: 6 }]);
    expect(all.server.open).toBe(0);
  });

  it('keeps unknown fields, and names of assets that JavaScript knows', async () => {
    const all = accountSetup();
    const strange = { toString: { available: '2', locked: '3' } };
    all.account.results.set('balanceSpot_request', strange);
    const { values } = watched(all.exchange);
    await ms(1000);
    push(all, usdt('90'));
    expect(values.at(-1)?.value['toString']).toEqual({ available: '2', locked: '3' });
  });
});

describe('live.my.marginBalances', () => {
  it('reads the long names of a query and the short names of a push, where B is not b', async () => {
    const { account, server, exchange } = accountSetup();
    account.results.set('balanceMargin_request', {
      BTC: { balance: '1', borrow: '0', available_without_borrow: '1', available_with_borrow: '5' },
    });
    const values = collected(exchange.live.my.marginBalances(), ({ status, value }) => ({ status, value }));
    await ms(1000);
    server.last.push('balanceMargin_update', [
      { a: 'BTC', B: '2', b: '0.5', av: '1.5', ab: '4' },
      { a: 'USDT', B: '10', b: '0', av: '10', ab: '50', x: 'new' },
    ]);
    const first = { asset: 'BTC', balance: '1', borrow: '0', availableWithoutBorrow: '1', availableWithBorrow: '5' };
    expect(values).toEqual([
      { status: 'live', value: { BTC: first } },
      {
        status: 'live',
        value: {
          BTC: { asset: 'BTC', balance: '2', borrow: '0.5', availableWithoutBorrow: '1.5', availableWithBorrow: '4' },
          USDT: {
            ...{ asset: 'USDT', balance: '10', borrow: '0', availableWithoutBorrow: '10', availableWithBorrow: '50' },
            x: 'new',
          },
        },
      },
    ]);
  });
});
