// The dashboard's feed when the exchange sends odd names, amounts and times: bounded, and every character visible.
import { ClientRegistry, createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AssetRow, WalletPart } from '../../src/cli/dashboard/messages.js';
import { pagesOf, type FeedOfPage } from '../support/dashboard-page.js';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime(1_800_000_000_000);
let pages: ReturnType<typeof pagesOf>;
let page: FeedOfPage | undefined;
/** The exchange's next responses by path. */
let responses: Map<string, unknown>;
const balance = '/api/v4/main-account/balance';
const openOrders = '/api/v4/orders';
const positions = '/api/v4/collateral-account/positions/open';
const collateral = '/api/v4/collateral-account/balance-summary';

beforeEach(() => {
  responses = new Map<string, unknown>([openOrders, positions, collateral].map((path) => [path, []] as const));
  responses.set(balance, {});
  page = undefined;
  const sandbox = createSandbox({ history: 0, volatility: 0 });
  // Requests read what the live connections would push.
  sandbox.liveFault({ kind: 'refuse', times: 100_000 });
  const options = sandbox.clientOptions();
  const fetch: typeof options.fetch = (input, init) => {
    const body = responses.get(new URL(input instanceof Request ? input.url : input).pathname);
    return body === undefined ? options.fetch(input, init) : Promise.resolve(Response.json(body));
  };
  pages = pagesOf(createExchange({ ...options, fetch, registry: new ClientRegistry(), warnings: false }));
});

afterEach(() => {
  page?.subscription.unsubscribe();
  pages.close();
});

const balanceOf = (amounts: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, { main_balance: amount }]));

/** Opens a page at the first call, and waits for one poll of everything. */
async function poll(): Promise<FeedOfPage> {
  page ??= pages.open();
  await time.advance(6000);
  return page;
}

async function polledWallet(name: WalletPart['wallet']): Promise<WalletPart> {
  const { parts } = await poll();
  const wallet = parts.account?.wallets.find((one) => one.wallet === name);
  if (wallet === undefined) throw new Error('no wallet came');
  return wallet;
}

const row = (asset: string, amount: string, isStale = false): AssetRow =>
  expect.objectContaining({ asset, amount, isStale }) as AssetRow;

describe('assets of the dashboard', () => {
  it('may be named like properties of every object', async () => {
    const names = ['toString', 'hasOwnProperty', 'valueOf'];
    responses.set(balance, balanceOf({ BTC: '1', ...Object.fromEntries(names.map((name) => [name, '2'])) }));
    expect((await polledWallet('main')).assets).toEqual([row('BTC', '1'), ...names.map((name) => row(name, '2'))]);
  });

  it('are at most 100, the most valuable first; the others are counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`A${index}`, '1']));
    responses.set(balance, balanceOf({ ...many, BTC: '0.5', ZERO: '0' }));
    const { assets, notShown } = await polledWallet('main');
    expect([assets.length, notShown, assets[0]?.asset]).toEqual([100, 4901, 'BTC']);
    expect((await poll()).parts.account?.notValued.length).toBe(20);
  });

  it('that could not be read keep their last amount and are marked', async () => {
    responses.set(balance, balanceOf({ BTC: '1', ETH: '5' }));
    await polledWallet('main');
    responses.set(balance, balanceOf({ BTC: '1', ETH: 'five', XLM: 'none' }));
    expect((await polledWallet('main')).assets).toEqual(
      expect.arrayContaining([row('BTC', '1'), row('ETH', '5', true), row('XLM', '', true)]),
    );
  });

  it('with invisible characters or 10 KB in their names stay distinct from all others', async () => {
    const long = 'L'.repeat(10_000);
    const names = [
      ...['BTC', 'BTC\u200b', 'BTC\u202e', 'BTC\n', 'BTC\u{e0041}', 'BT\u0000C', '\ud800'],
      ...[`${long}1`, `${long}2`, `${'😀'.repeat(300)}1`, `${'😀'.repeat(300)}2`, `a${'\u0301'.repeat(300)}`],
    ];
    responses.set(balance, balanceOf(Object.fromEntries(names.map((name) => [name, '1']))));
    const shown = (await polledWallet('main')).assets.map(({ asset }) => asset);
    expect(new Set(shown).size).toBe(names.length);
    expect(shown).toContain('BTC');
    for (const name of shown) {
      expect(Array.from(name).length).toBeLessThanOrEqual(60);
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{3}/u);
    }
  });

  it('with too long an amount show a note, never a truncated amount', async () => {
    responses.set(balance, balanceOf({ BTC: `1${'0'.repeat(80)}`, ETH: `0.${'3'.repeat(90)}` }));
    expect((await polledWallet('main')).assets).toEqual([
      row('BTC', '(81 characters, not shown)'),
      row('ETH', '(92 characters, not shown)'),
    ]);
  });
});

it('the collateral wallet keeps what could not be read', async () => {
  const asset = (name: string, balance: string, borrow?: string) => ({ asset: name, balance, borrow });
  responses.set(collateral, [asset('USDT', '10', '4'), asset('BTC', '1')]);
  expect((await polledWallet('collateral')).value).toMatch(/^\d+\.00$/);
  responses.set(collateral, [asset('USDT', '10', '4'), 7]);
  expect((await polledWallet('collateral')).assets).toEqual([row('BTC', '1', true), row('USDT', '10')]);
});

describe('positions of the dashboard', () => {
  const position = (fields: Readonly<Record<string, unknown>>) => ({
    ...{ positionId: 1, market: 'BTC_USDT', amount: '1', openDate: 1_700_000_000, modifyDate: 1_700_000_000 },
    ...fields,
  });

  it('have empty figures where the exchange sends none, and no sum of them', async () => {
    responses.set(positions, [
      position({ market: 'MARS_PERP', basePrice: '10', liquidationPrice: '9', liquidationState: 'margin_call' }),
      position({ positionId: 2, market: 'XYZ_EUR', amount: '-2', basePrice: '5', margin: '0', unrealizedFunding: '1' }),
      position({ positionId: 3, basePrice: '0', liquidationPrice: '0', margin: '100' }),
    ]);
    const { list, pnl } = (await poll()).parts.positions ?? {};
    expect(list).toMatchObject([
      { mark: '', value: '', entry: '10', liquidation: '9', away: '', pnl: '', ofMargin: '', warning: 'margin_call' },
      { side: 'short', amount: '2', mark: '', pnl: '', ofMargin: '', funding: '-1.00', warning: '' },
      { side: 'long', entry: '', liquidation: '', away: '' },
    ]);
    expect(pnl).toEqual([
      { currency: 'USDT', amount: '' },
      { currency: 'EUR', amount: '' },
    ]);
  });

  it('are at most 50; the others are counted', async () => {
    responses.set(
      positions,
      Array.from({ length: 60 }, (_, index) => position({ positionId: index + 1 })),
    );
    const { list, notShown } = (await poll()).parts.positions ?? {};
    expect([list?.length, notShown]).toEqual([50, 10]);
  });
});

describe('orders of the dashboard', () => {
  const order = (fields: Readonly<Record<string, unknown>>) => ({
    ...{ orderId: 1, market: 'BTC_USDT', side: 'buy', status: 'OPEN', amount: '1' },
    ...fields,
  });

  it('have no time when their timestamp is missing, no number, or of no year', async () => {
    const impossible = [1e300, -1e300, 8.7e12, undefined, null, 'soon'];
    const sent = [...impossible, 1_700_000_000.25].map((timestamp, index) => order({ orderId: index + 1, timestamp }));
    responses.set(openOrders, sent);
    const { parts } = await poll();
    const times = new Map(parts.orders?.open.map(({ orderId, at }) => [orderId, at]));
    expect(impossible.map((_, index) => times.get(index + 1))).toEqual(impossible.map(() => null));
    expect(times.get(7)).toBe(1_700_000_000_250);
  });

  it('have truncated texts, figures that are not wrong, and a side that is known or not', async () => {
    const odd = { side: `${'x'.repeat(100_000)}\u202e`, type: 'a\u200b', price: 'much' };
    responses.set(openOrders, [order({ ...odd, deal_stock: '0', deal_money: '5' })]);
    const type = expect.stringMatching(/^a\\u\{200b\} #[0-9a-f]{8}$/) as string;
    expect((await poll()).parts.orders?.open).toMatchObject([
      { side: 'unknown', type, price: '', average: '', fromLast: '' },
    ]);
  });

  it('and everything else are bounded in bytes, whatever the exchange sends', async () => {
    const wide = '语'.repeat(1000);
    const many = Array.from({ length: 500 }, (_, index) => [`${index}${wide}`, `1${'0'.repeat(60)}`] as const);
    responses.set(balance, balanceOf(Object.fromEntries(many)));
    const odd = { client_order_id: wide, type: wide, price: '1'.repeat(90) };
    responses.set(
      openOrders,
      Array.from({ length: 99 }, (_, index) => order({ orderId: index + 1, ...odd })),
    );
    const { parts } = await poll();
    expect(parts.orders?.open.length).toBe(99);
    expect(Buffer.byteLength(JSON.stringify(parts))).toBeLessThan(300_000);
  });
});
