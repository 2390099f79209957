// Conversions in the sandbox: quotes that expire, and assets exchanged on the spot balance at the quoted rate.
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';

function world() {
  const sandbox = createSandbox({
    ...{ clock: 'manual', history: 0, tickMs: 60_000, volatility: 0, retentionMs: 86_400_000 },
    markets: [
      { name: 'BTC_USDT', price: '60000' },
      { name: 'ETH_USDT', price: '3000' },
      { name: 'XRP_EUR', price: '2' },
    ],
    accounts: [{ name: 'main', balances: { trade: { BTC: '1', USDT: '1000' } } }, { name: 'other' }],
  });
  const balances = () => sandbox.ledger.balances('main').trade;
  const send = (end: string, fields: object) => sendRaw({ sandbox }, `/api/v4/convert/${end}`, { ...fields });
  return { sandbox, convert: clientOf(sandbox).convert, balances, send };
}

const pair = { from: 'BTC', to: 'USDT', direction: 'from', amount: '0.1' } as const;

describe('a quote', () => {
  it.each([
    [pair, '0.1', '5994', { BTC: '0.9', USDT: '6994' }],
    [{ ...pair, direction: 'to', amount: '5994' } as const, '0.1', '5994', { BTC: '0.9', USDT: '6994' }],
    [{ ...pair, from: 'USDT', to: 'BTC', amount: '60' } as const, '60', '0.000999', { BTC: '1.000999', USDT: '940' }],
    [{ ...pair, to: 'ETH' }, '0.1', '1.996002', { BTC: '0.9', USDT: '1000', ETH: '1.996002' }],
    [{ ...pair, direction: 'to', amount: '1' } as const, '0.00001669', '1', { BTC: '0.99998331', USDT: '1001' }],
    [{ ...pair, amount: '0.1000000099' }, '0.1', '5994', { BTC: '0.9', USDT: '6994' }],
  ])('of %j gives %s for %s, and converts once', async (params, give, receive, after) => {
    const { convert, balances } = world();
    const quote = await firstValueFrom(convert.requestQuote(params));
    expect(quote).toMatchObject({ from: params.from, to: params.to, give, receive });
    expect(balances()).toEqual({ BTC: '1', USDT: '1000' });
    const converted = await firstValueFrom(convert.confirmQuote({ quoteId: quote.id }));
    expect(converted).toEqual({ finalGive: give, finalReceive: receive });
    expect(balances()).toEqual(after);
  });

  it('expires after 10 s, is of one account, and is used once', async () => {
    const { sandbox, send, convert, balances } = world();
    const quoted = () => firstValueFrom(convert.requestQuote(pair));
    const { id, expireAt = 0 } = await quoted();
    expect(expireAt * 1000).toBe(sandbox.clock.now() + 10_000);
    sandbox.clock.advance(9_999);
    const last = await quoted();
    sandbox.clock.advance(1);
    expect(await send('confirm', { quoteId: id })).toMatchObject({ status: 422, body: { code: 20 } });
    expect(await firstValueFrom(clientOf(sandbox, 'other').convert.requestQuote(pair))).toHaveProperty('id');
    const errors = { quoteId: ['Quote is not found.'] };
    const ofOther = await send('confirm', { quoteId: String(Number(last.id) + 1) });
    expect(ofOther).toMatchObject({ status: 422, body: { code: 0, errors } });
    expect(await send('confirm', { quoteId: last.id })).toMatchObject({ status: 200 });
    expect(await send('confirm', { quoteId: last.id })).toMatchObject({ status: 422, body: { code: 0 } });
    expect(balances()).toEqual({ BTC: '0.9', USDT: '6994' });
  });

  it('that the balance cannot pay any more converts nothing', async () => {
    const { send, sandbox, balances } = world();
    const { body } = await send('estimate', pair);
    sandbox.account('main').deposit('BTC', '-0.95', 'trade');
    const { id } = body as { readonly id: string };
    expect(await send('confirm', { quoteId: id })).toMatchObject({ status: 400, body: { code: 37 } });
    expect(balances()).toEqual({ BTC: '0.05', USDT: '1000' });
  });

  it.each([
    [{ from: undefined }, 422, 30, 'from'],
    [{ direction: 'up' }, 422, 30, 'direction'],
    [{ to: 'BTC' }, 422, 30, 'to'],
    [{ amount: '-1' }, 422, 32, 'amount'],
    [{ to: 'XRP' }, 422, 0, 'from'],
    [{ amount: '0.000000001' }, 422, 0, 'amount'],
    [{ from: 'USDT', to: 'BTC', amount: '0.0001' }, 422, 0, 'amount'],
    [{ amount: '1.00000001' }, 400, 37, 'amount'],
  ])('of %j is refused with %d, code %d', async (own, status, code, field) => {
    const { send } = world();
    const response = await send('estimate', { ...pair, ...own });
    expect(response).toMatchObject({ status, body: { code, errors: { [field]: [expect.any(String)] } } });
  });
});

describe('a conversion', () => {
  it('that lost its response is found, and made once', async () => {
    const sandbox = createSandbox({ history: 0, volatility: 0 });
    const { convert } = clientOf(sandbox);
    const { id } = await firstValueFrom(convert.requestQuote(pair));
    sandbox.fault({ kind: 'status', path: '/api/v4/convert/confirm', executed: true });
    const converted = await firstValueFrom(convert.confirmQuote({ quoteId: id }));
    expect(converted).toEqual({ finalGive: '0.1', finalReceive: '5994' });
    sandbox.fault({ kind: 'status', path: '/api/v4/convert/auto-confirm', executed: true });
    expect(await firstValueFrom(convert.convert({ ...pair, amount: '0.2' }))).toMatchObject({ finalGive: '0.2' });
    const changes = sandbox.ledger.balanceChanges.filter(({ reason }) => reason === 'conversion');
    expect(changes.flatMap(({ asset, delta }) => (asset === 'BTC' ? [delta] : []))).toEqual(['-0.1', '-0.2']);
  });

  it('with a key is made once, whatever is forgotten, and another one with the same key is refused', async () => {
    const { sandbox, send, balances } = world();
    const keyed = { ...pair, idempotencyKey: 'rebalance-1' };
    const first = await send('auto-confirm', keyed);
    sandbox.clock.advance(2 * 86_400_000);
    expect(await send('auto-confirm', { ...keyed, amount: '0.10' })).toEqual(first);
    for (const other of [{ amount: '0.2' }, { to: 'ETH' }, { direction: 'to' }, { from: 'USDT' }])
      expect(await send('auto-confirm', { ...keyed, ...other })).toMatchObject({ status: 409 });
    expect(balances()).toEqual({ BTC: '0.9', USDT: '6994' });
    const refused = { status: 422, body: { code: 30 } };
    for (const idempotencyKey of ['1234567', 'x'.repeat(129)])
      expect(await send('auto-confirm', { ...pair, idempotencyKey })).toMatchObject(refused);
    expect(await send('auto-confirm', pair)).toMatchObject({ status: 200 });
    expect(balances()).toEqual({ BTC: '0.8', USDT: '12988' });
  });

  it('is listed by assets, quote and period, and forgotten with the past', async () => {
    const { sandbox, convert, send } = world();
    const made = await firstValueFrom(convert.convert(pair));
    await firstValueFrom(convert.convert({ ...pair, to: 'ETH' }));
    const now = Math.floor(sandbox.clock.now() / 1000);
    const period = { from: String(now), to: String(now) };
    const listed = async (filter: object) => {
      const { body } = await send('history', { ...period, ...filter });
      const { records } = body as { readonly records: readonly { readonly receive: string }[] };
      return records.map(({ receive }) => receive);
    };
    expect(await send('history', {})).toMatchObject({ status: 200, body: { total: 2 } });
    expect(await listed({})).toEqual(['1.996002', '5994']);
    expect(await listed({ toTicker: 'USDT' })).toEqual(['5994']);
    expect(await listed({ fromTicker: 'ETH' })).toEqual([]);
    expect(await listed({ quoteId: made.id })).toEqual(['5994']);
    expect(await listed({ to: String(now - 1) })).toEqual([]);
    expect(await send('history', { ...period, from: String(now - 31 * 86_400) })).toMatchObject({ status: 422 });
    expect(await send('history', { from: 'today' })).toMatchObject({ status: 422, body: { code: 30 } });
    await send('estimate', pair);
    sandbox.clock.advance(2 * 86_400_000 + 1);
    expect(await listed({})).toEqual([]);
  });
});

it('the fee of one market is its own', async () => {
  const sandbox = createSandbox({
    history: 0,
    markets: [{ name: 'BTC_USDT', price: '60000', takerFee: '0.2', makerFee: '0.05' }],
  });
  const { spot } = clientOf(sandbox);
  expect(await firstValueFrom(spot.feesOf({ market: 'BTC_USDT' }))).toMatchObject({ taker: '0.2', maker: '0.05' });
  await expect(firstValueFrom(spot.feesOf({ market: 'NO_ONE' }))).rejects.toMatchObject({ status: 422, code: 31 });
});
