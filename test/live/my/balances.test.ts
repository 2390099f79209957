// The account's balances: whole before their first value, and kept true by pushes.
import { describe, expect, it } from 'vitest';
import { ms, onFakeTime } from '../setup.js';
import { accountSetup } from './account-exchange.js';
import { collected, valuesAndErrors } from '../../support/watch.js';

onFakeTime();

const btc = (available: string) => ({ BTC: { available, freeze: '0' } });
const usdt = (available: string) => ({ USDT: { available, freeze: '0' } });

/** The balances of an account with 100 USDT, 1 s after the subscription. */
async function watched(prepare: (all: ReturnType<typeof accountSetup>) => void = () => undefined) {
  const all = accountSetup();
  prepare(all);
  const balances$ = all.exchange.live.my.balances();
  const { values, errors } = valuesAndErrors(balances$, ({ status, value }) => {
    const amounts = Object.entries(value).map(([asset, { available }]) => `${asset} ${available}`);
    return `${status} ${amounts.join(', ')}`;
  });
  await ms(1000);
  const push = (...maps: unknown[]) => {
    all.server.last.push('balanceSpot_update', maps);
  };
  return { ...all, results: all.account.results, balances$, values, errors, push };
}

describe('live.my.balances', () => {
  it('emits the whole balance first, and then each change', async () => {
    const { values, push } = await watched();
    push(usdt('90'));
    push({ ...btc('2'), ...usdt('80') }, { ETH: { available: '5', freeze: '1' } });
    expect(values).toEqual(['live USDT 100', 'live USDT 90', 'live USDT 80, BTC 2, ETH 5']);
  });

  it('emits nothing before the whole balance is known, and then the pushes since it was subscribed', async () => {
    let respond: () => void = () => undefined;
    const { results, values, push } = await watched(({ account, server }) => {
      respond = account.holdQueries();
      const { react } = account;
      account.react = (got) => {
        // Before the confirmation.
        if (got.method === 'balanceSpot_subscribe') server.last.push('balanceSpot_update', [btc('2')]);
        react(got);
      };
    });
    push(usdt('90'));
    expect(values).toEqual([]);
    results.set('balanceSpot_request', { ...btc('1'), ...usdt('100') });
    respond();
    expect(values).toEqual(['live BTC 2, USDT 90']);
  });

  it('is stale from the loss of the connection until the balance was read again', async () => {
    const { account, server, results, values, push } = await watched();
    const respond = account.holdQueries();
    server.last.end();
    await ms(3000);
    push(btc('3'));
    expect(values).toEqual(['live USDT 100', 'stale USDT 100']);
    results.set('balanceSpot_request', { ...btc('2'), ...usdt('50') });
    respond();
    expect(values.at(-1)).toBe('live BTC 3, USDT 50');
  });

  it('is stale after an unreadable push until the balance was read again, which wins over older pushes', async () => {
    const { results, values, push } = await watched();
    push(usdt('90'), { BTC: 'no balance' });
    results.set('balanceSpot_request', { ...btc('2'), ...usdt('80') });
    expect(values.at(-1)).toBe('stale USDT 90');
    await ms(10_000);
    expect(values.at(-1)).toBe('live BTC 2, USDT 80');
  });

  it('is stale when a query of each minute fails, until one succeeds: a push may have been lost', async () => {
    const { account, results, values, push } = await watched();
    const accept = account.refuse('_request', 2, 'internal error');
    await ms(60_000);
    push(btc('1'));
    expect(values).toEqual(['live USDT 100', 'stale USDT 100']);
    accept();
    results.set('balanceSpot_request', { ...btc('1'), ...usdt('80') });
    await ms(2000);
    expect(values.slice(2)).toEqual(['live BTC 1, USDT 80']);
  });

  it.each(['none', 'an unreadable one'])('is read again when the response to a query is %s', async (response) => {
    const { values } = await watched(({ account }) => {
      const { react } = account;
      account.react = (got) => {
        const { connection, id, method } = got;
        if (!method.endsWith('_request')) react(got);
        else {
          account.react = react;
          if (response !== 'none') connection.respond(id, 'noon');
        }
      };
    });
    await ms(11_000);
    expect(values).toEqual(['live USDT 100']);
  });

  it('gives a late subscriber the last value at once, by the same subscription', async () => {
    const { account, balances$ } = await watched();
    expect(collected(balances$)).toMatchObject([{ status: 'live', value: usdt('100') }]);
    expect(account.subscribed).toHaveLength(1);
  });

  it.each(['balanceSpot_subscribe', 'balanceSpot_request'])('ends with the refusal of %s', async (refused) => {
    const { server, errors } = await watched(({ account }) => account.refuse(refused, 6, 'require authentication'));
    expect(errors).toMatchObject([{ kind: 'live-refused', code: 6 }]);
    expect(server.open).toBe(0);
  });

  it('keeps unknown fields, and names of assets that JavaScript knows', async () => {
    const strange = { toString: { available: '2', locked: '3' } };
    const { balances$, push } = await watched(({ account }) => account.results.set('balanceSpot_request', strange));
    push(usdt('90'));
    const [last] = collected(balances$);
    expect(last?.value['toString']).toEqual({ available: '2', locked: '3' });
  });
});

it('live.my.marginBalances reads the long names of a query and the short names of a push, where B is not b', async () => {
  const { account, server, exchange } = accountSetup();
  account.results.set('balanceMargin_request', {
    BTC: { balance: '1', borrow: '0', available_without_borrow: '1', available_with_borrow: '5' },
  });
  const values = collected(exchange.live.my.marginBalances(), ({ value }) => value);
  await ms(1000);
  const changed = { B: '2', b: '0.5', av: '1.5', ab: '4', x: 'new' };
  server.last.push('balanceMargin_update', [
    { a: 'BTC', ...changed },
    { a: 'USDT', ...changed },
  ]);
  const read = { asset: 'BTC', balance: '1', borrow: '0', availableWithoutBorrow: '1', availableWithBorrow: '5' };
  const pushed = { balance: '2', borrow: '0.5', availableWithoutBorrow: '1.5', availableWithBorrow: '4', x: 'new' };
  expect(values).toEqual([{ BTC: read }, { BTC: { asset: 'BTC', ...pushed }, USDT: { asset: 'USDT', ...pushed } }]);
});
