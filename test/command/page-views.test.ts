// What the page says in each of its states: ages, banner, title, speech, confirmation, tabs.
import { describe, expect, it } from 'vitest';
import type { Freshness, PartValues, Plan } from '../../src/cli/dashboard/messages.js';
import { noteOf, sinceWords, walletRows } from '../../src/cli/dashboard/page/views/account.js';
import { ageOf } from '../../src/cli/dashboard/page/views/ages.js';
import { bannerView } from '../../src/cli/dashboard/page/views/banner.js';
import { executionMarkers, outageBands, placeOf } from '../../src/cli/dashboard/page/views/candle-places.js';
import { confirmView, resultLines } from '../../src/cli/dashboard/page/views/confirm-text.js';
import { emptyWords } from '../../src/cli/dashboard/page/views/empty.js';
import { speechOf, summary } from '../../src/cli/dashboard/page/views/speech.js';
import { joined, withUpdate, type State } from '../../src/cli/dashboard/page/views/state.js';
import { tabFigures } from '../../src/cli/dashboard/page/views/tab-figures.js';
import { tapeRows } from '../../src/cli/dashboard/page/views/tape.js';
import { iconAddress, titleView } from '../../src/cli/dashboard/page/views/title.js';
import { linkViews, worstOf } from '../../src/cli/dashboard/page/views/worst.js';
import { pageState, pictureTime as now, type PageStateName } from '../support/page-states.js';

function stateOf(name: PageStateName, link: State['link']['status'] = 'live') {
  return { parts: pageState(name).parts, link: { status: link, since: now - 8000 }, now };
}

function withParts(name: PageStateName, parts: Partial<PartValues>): State {
  return { ...stateOf(name), parts: { ...pageState(name).parts, ...parts } };
}

describe('ages', () => {
  const state: Freshness = { status: 'live', at: now - 2900, since: now - 72_000, paceMs: 1000 };

  it.each([
    ['live', {}, '2.9 s', 'usual'],
    ['late', { at: now - 3100 }, '3.1 s', 'late'],
    ['without a pace', { at: now - 90_000, paceMs: null }, '1:30', 'usual'],
    ['read', { status: 'read' }, 'read 2 s ago', 'usual'],
    ['stale', { status: 'stale' }, 'stale 1:12', 'stale'],
    ['waiting', { status: 'waiting', at: null }, 'waiting 1:12', 'usual'],
    ['refused', { status: 'refused', reason: 'no such market' }, 'refused', 'stale'],
    ['refused without a reason', { status: 'refused' }, 'refused', 'stale'],
    ['none', { status: 'none' }, '', 'usual'],
  ] as const)('shows what is %s', (_name, change, text, tone) => {
    const reason = 'reason' in change ? change.reason : '';
    expect(ageOf({ ...state, ...change }, stateOf('normal'))).toEqual({ text, tone, reason });
  });

  it('shows everything as stale while the page has no connection', () => {
    expect(ageOf(state, stateOf('normal', 'lost'))).toMatchObject({ text: 'stale 8 s', tone: 'stale' });
    expect(ageOf({ ...state, status: 'stale' }, stateOf('normal', 'rejected')).text).toBe('stale 1:12');
    expect(ageOf(undefined, stateOf('normal', 'lost')).text).toBe('waiting 8 s');
  });
});

describe('the banner, the bar, the title and the icon', () => {
  it.each([
    ['normal', 'Live', undefined, '60,012.40 ↑ BTC_USDT', '↑'],
    ['waiting', 'connecting', undefined, '– BTC_USDT', '–'],
    ['down', 'Exchange down 1:12', 'Exchange down for 1:12.', 'DOWN 1:12 · 60,012.40 BTC_USDT', '!'],
    ['reconnecting', 'Reconnecting 8 s', 'Live connection lost 8 s ago.', 'stale 8 s · 60,012.40 BTC_USDT', '~'],
    ['doubt', '1 in doubt', '1 order in doubt:', '1 in doubt · 60,012.40 BTC_USDT', '?'],
  ] as const)('say the worst of %s', (name, bar, head, title, sign) => {
    const state = stateOf(name);
    expect(worstOf(state).text).toBe(bar);
    expect(bannerView(state)?.head).toBe(head);
    expect(titleView(state)).toMatchObject({ title, icon: { sign } });
    expect(decodeURIComponent(iconAddress(titleView(state).icon))).toContain(`>${sign}<`);
  });

  it('say cause, since when, next attempt and one action', () => {
    expect(bannerView(stateOf('down'))?.text).toBe(
      'No response since 20:31:04 (unreachable: ECONNREFUSED). All figures below are from before 20:31:04. Next attempt in 4.0 s.',
    );
    expect(bannerView(stateOf('reconnecting'))?.text).toBe(
      'Attempt 3 in 1.4 s (no message in time). Hatched figures are from before 20:32:08; orders and balances are read by requests.',
    );
    expect(bannerView(stateOf('doubt'))).toMatchObject({
      text: 'buy 0.0100 BTC_USDT at 59,950.00, sent 20:32:04, no response for 12 s. It may be open. It is being looked up.',
      action: { label: 'Copy mm-7f3a-b-0413', copies: 'mm-7f3a-b-0413' },
    });
    for (const name of ['down', 'reconnecting'] as const)
      expect(bannerView(stateOf(name))?.action).toEqual({ kind: 'try', label: 'Try now' });
  });

  it('say that the page lost its own connection before all else', () => {
    const lost = stateOf('down', 'lost');
    expect([worstOf(lost).text, bannerView(lost)?.action?.label]).toEqual(['Page lost 8 s', 'Try now']);
    expect(titleView(lost).title).toBe('stale 1:12 · 60,012.40 BTC_USDT');
    expect(bannerView(stateOf('normal', 'rejected'))?.text).toContain('open its new URL');
    expect(linkViews(lost, 8000)).toEqual([{ text: 'lost 8 s', bad: 'warn' }, { text: '–' }, { text: '–' }]);
  });

  it('say what is known before the first values', () => {
    const empty: State = { parts: {}, link: { status: 'connecting', since: now - 2000 }, now };
    expect([worstOf(empty).text, bannerView(empty), titleView(empty).title]).toEqual([
      ...['connecting 2 s', undefined, '– exchange-rx'],
    ]);
    expect(linkViews(empty, 0).map(({ text }) => text)).toEqual(['connecting', '–', '–']);
    expect(summary(empty)).toBe('No market no price. connecting 2 s.');
  });

  it.each([
    ['normal', ['0.0 s', '0.1 s', '11 ms'], [undefined, undefined, undefined]],
    ['down', ['0.0 s', 'lost 1:12', 'ECONNREFUSED'], [undefined, 'down', 'down']],
    ['reconnecting', ['0.0 s', 'lost 8 s', '11 ms'], [undefined, 'warn', undefined]],
  ] as const)('show the links of %s', (name, texts, bad) => {
    const views = linkViews(stateOf(name), 0);
    expect([views.map(({ text }) => text), views.map((view) => view.bad)]).toEqual([texts, bad]);
  });

  it('show the worst stream, an idle one, and requests that wait or are slow', () => {
    const { links } = pageState('normal').parts;
    const accountStream = { ...links.stream, attempt: 1, since: now - 5000 };
    const state = (change: Partial<typeof links>) => withParts('normal', { links: { ...links, ...change } });
    const texts = (change: Partial<typeof links>) => linkViews(state(change), 0).map(({ text }) => text);
    expect(texts({ accountStream })[1]).toBe('lost 5 s');
    expect(texts({ stream: { ...links.stream, status: 'idle' } })[1]).toBe('idle');
    expect(texts({ requests: { ...links.requests, status: 'waiting' } })[2]).toBe('waiting');
    expect(bannerView(state({ accountStream }))?.head).toContain("account's live connection lost");
    const requests = { ...links.requests, status: 'degraded', since: now - 60_000 } as const;
    expect(worstOf(state({ requests })).text).toBe('Degraded 1:00');
  });
});

describe('words without a cause, a next attempt or an account', () => {
  const { links, about, orders, positions } = pageState('down').parts;
  const { reason: _cause, ...requests } = links.requests;
  const { reason: _why, ...stream } = links.stream;

  it.each<[Partial<PartValues>, string]>([
    [{ links: { ...links, requests: { ...requests, nextAttemptAt: null } } }, 'No response since 20:31:04. All'],
    [{ links: { ...links, requests: { ...requests, nextAttemptAt: now - 1 } } }, 'Next attempt now.'],
    [
      {
        links: { requests: { ...requests, status: 'up' }, stream: { ...stream, nextAttemptAt: null } },
        about: { ...about, account: false },
      },
      'Attempt 3 now. Hatched figures are from before 20:31:04.',
    ],
  ])('are shorter %#', (parts, words) => {
    expect(bannerView(withParts('down', parts))?.text).toContain(words);
  });

  it('say what is known of links alone', () => {
    const alone: State = { ...stateOf('normal'), parts: { links: pageState('normal').parts.links } };
    expect([worstOf(alone).text, linkViews(alone, 0)[1]?.text]).toEqual(['Live', 'open']);
    expect(linkViews(withParts('down', { links: { ...links, requests } }), 0)[2]?.text).toBe('down');
  });

  it('say that the lookups of an order in doubt ended', () => {
    const inDoubt = pageState('doubt').parts.orders.inDoubt.map((doubt) => ({ ...doubt, phase: 'unknown' as const }));
    expect(bannerView(withParts('doubt', { orders: { ...orders, inDoubt } }))?.text).toContain('Its lookups ended');
    expect(bannerView(stateOf('down', 'rejected'))?.kind).toBe('down');
  });

  it('speak of a rising and a falling price, an unknown profit and a single trade', () => {
    const { market, trades, executions } = pageState('normal').parts;
    const pnl = [{ currency: 'USDT', amount: '' }];
    const down = withParts('normal', { market: { ...market, change: '-1.24' }, positions: { ...positions, pnl } });
    expect(summary(down)).toContain('down 1.24 %. 2 positions. Live.');
    expect(summary(stateOf('normal'))).toBe('BTC_USDT 60,012.40, up 1.24 %. 2 positions, plus 172.65. Live.');
    expect(summary(stateOf('empty'))).toBe('BTC_USDT 60,012.40, up 1.24 %. No position. Live.');
    const list = executions.list.map((row) => ({ ...row, id: row.id + 900, side: 'buy' as const }));
    const bought = withParts('normal', { executions: { ...executions, list } });
    expect(speechOf(stateOf('normal'), bought).polite).toContain('Bought');
    const gap = { kind: 'gap', from: now - 900, to: now, filledIn: 1 } as const;
    expect(tapeRows(withParts('normal', { trades: { ...trades, list: [gap] } }), 1)).toMatchObject([
      { text: 'gap 0.9 s, 1 trade filled in' },
    ]);
    const unnamed = executions.list.map((row) => ({ ...row, side: 'unknown' as const }));
    expect(executionMarkers(unnamed, 'BTC_USDT', [], 60_000)).toEqual([]);
  });
});

describe('speech', () => {
  it.each([
    ['normal', 'down', 'Exchange down.', ''],
    ['down', 'normal', 'Exchange up.', ''],
    ['normal', 'reconnecting', 'Live connection lost. Figures are stale.', ''],
    ['reconnecting', 'normal', '', 'Reconnected.'],
    ['normal', 'doubt', 'Order mm-7f3a-b-0413 in doubt.', ''],
    ['doubt', 'normal', 'Order mm-7f3a-b-0413 decided.', ''],
    ['normal', 'normal', '', ''],
  ] as const)('from %s to %s says %j at once', (before, after, assertive, polite) => {
    expect(speechOf(stateOf(before), stateOf(after))).toEqual({ assertive, polite });
  });

  it('says executions and gaps, and no tick', () => {
    const { executions, exchange } = pageState('normal').parts;
    const added = executions.list.slice(0, 2).map((row, index) => ({ ...row, id: 99 - index }));
    const next = { ...executions, list: [...added, ...executions.list] };
    expect(speechOf(stateOf('normal'), withParts('normal', { executions: next })).polite).toBe(
      'Sold 0.0475 BTC_USDT at 60,004.19, and 1 more.',
    );
    const gap = { id: 77, at: now, kind: 'gap', text: 'trades: gap of 0.8 s' } as const;
    const seen = withParts('normal', { exchange: { ...exchange, events: [gap, ...exchange.events] } });
    expect(speechOf(stateOf('normal'), seen).polite).toBe('Gap: trades: gap of 0.8 s.');
  });
});

describe('the confirmation', () => {
  const cancel = (orderId: number, market: string, side: 'buy' | 'sell', left: string, flags: string[] = []) => ({
    ...{ orderId, clientOrderId: `o-${orderId}`, market, side, type: 'limit', flags, price: '60005', left },
  });
  const plan: Plan = {
    ...{ id: 'p', action: { kind: 'flatten' }, at: now, expiresAt: now + 30_000, pricesAt: now - 100 },
    cancel: [
      cancel(1, 'BTC_USDT', 'buy', '0.04'),
      cancel(2, 'BTC_USDT', 'buy', '0.5'),
      cancel(3, 'BTC_USDT', 'sell', '0.1'),
      cancel(4, 'BTC_PERP', 'sell', '0.25', ['reduce']),
    ],
    close: [
      { positionId: 1, market: 'BTC_PERP', side: 'long', amount: '0.25', price: '60006.50', pnl: '+216.63' },
      { positionId: 2, market: 'ETH_PERP', side: 'short', amount: '3.2', price: '', pnl: '' },
    ],
    totals: [{ currency: 'USDT', pnl: '+170.23', fees: '24.64' }],
  };

  it('names the act, its steps in their order and its estimates, with the decimals of each market', () => {
    expect(confirmView(plan, stateOf('normal'))).toMatchObject({
      title: 'Flatten the account?',
      text: 'Two things happen, in this order. Balances stay where they are.',
      button: 'Cancel 4 orders, close 2 positions',
      steps: [
        {
          title: '1. Cancel 4 open orders',
          lines: [
            ['3 BTC_USDT', 'buy 0.5400, sell 0.1000'],
            ['1 BTC_PERP', 'sell 0.2500, reduce only'],
          ],
        },
        {
          title: '2. Close 2 positions at market',
          lines: [
            ['sell 0.2500 BTC_PERP at about 60,006.50', '+216.63'],
            ['buy 3.2000 ETH_PERP at market', '–'],
          ],
        },
      ],
      facts: [
        ['realized PnL, estimate', '+170.23 USDT'],
        ['fees, estimate', '24.64 USDT'],
        ['prices', 'read 0.1 s ago'],
      ],
    });
  });

  it('leaves an unreadable amount out of a sum', () => {
    const orders = ['1', '(81 characters)', '1', '1'].map((left) => cancel(1, 'A_B', 'buy', left));
    const { steps } = confirmView({ ...plan, cancel: orders, close: [] }, { parts: {}, now });
    expect(steps[0]?.lines).toEqual([['4 A_B', 'buy –']]);
  });

  it('names a single order by its price and its client_order_id', () => {
    const one: Plan = { ...plan, action: { kind: 'cancel', market: 'BTC_USDT', orderId: 1 }, close: [], totals: [] };
    const view = confirmView({ ...one, cancel: [cancel(1, 'BTC_USDT', 'buy', '0.04')] }, { parts: {}, now });
    expect([view.button, view.steps[0]?.lines, view.facts]).toEqual([
      'Cancel 1 order',
      [['buy limit BTC_USDT', '0.04 at 60,005 · o-1']],
      [],
    ]);
  });

  it('has another key when another amount or order would be acted on, and the same for another estimate', () => {
    const keyOf = (change: Partial<Plan>) => confirmView({ ...plan, ...change }, { parts: {}, now }).key;
    expect(keyOf({ pricesAt: null, totals: [] })).toBe(keyOf({}));
    expect(keyOf({ cancel: plan.cancel.slice(1) })).not.toBe(keyOf({}));
    expect(keyOf({ close: plan.close.map((one) => ({ ...one, amount: '9' })) })).not.toBe(keyOf({}));
  });

  it('shows the result of each step', () => {
    const unknown = { step: 'cancel', market: 'BTC_USDT', id: 7, clientOrderId: '', outcome: 'unknown' } as const;
    const results = [
      { ...unknown, text: 'see' },
      { ...unknown, clientOrderId: 'o-1', outcome: 'running' as const, text: '' },
    ];
    expect(resultLines({ id: 1, action: { kind: 'flatten' }, at: now, endedAt: null, results })).toEqual([
      ['cancel BTC_USDT #7', 'unknown: see'],
      ['cancel BTC_USDT o-1', 'running'],
    ]);
  });
});

describe('parts of the page', () => {
  it('shows a gap of trades as a row, and an outage as the newest one', () => {
    const rows = tapeRows(stateOf('normal'), 60);
    expect(rows[9]).toMatchObject({ text: 'gap 0.8 s, 14 trades filled in', isWarning: false });
    expect(tapeRows(stateOf('down'), 60)[0]).toMatchObject({ text: 'no trades seen since 20:31:04', isWarning: true });
    expect(tapeRows(stateOf('normal', 'lost'), 3)[0]).toMatchObject({ text: 'no trades seen since 20:32:08' });
    const { trades } = pageState('normal').parts;
    const lost = { kind: 'gap', from: now - 60_000, to: now, filledIn: null } as const;
    expect(tapeRows(withParts('normal', { trades: { ...trades, list: [lost] } }), 9)[0]).toMatchObject({
      text: 'gap 1:00, trades may be missing',
      isWarning: true,
    });
  });

  it.each<[PageStateName, string[], boolean]>([
    ['normal', ['60,012', '7 open', '127,484', '11 ms'], false],
    ['down', ['60,012', '7 were open', '127,484', 'down'], true],
    ['doubt', ['60,012', '1 in doubt', '127,484', '11 ms'], false],
  ])('has a figure below each tab of a phone: %s', (name, texts, isOld) => {
    const figures = Object.values(tabFigures(stateOf(name)));
    expect(figures.map(({ text }) => text)).toEqual(texts);
    expect(figures.map(({ isStale }) => isStale === true)).toEqual([isOld, isOld, isOld, false]);
    const unknown = Object.values(tabFigures({ ...stateOf(name), parts: {} }));
    expect(unknown.map(({ text }) => text)).toEqual(Array(4).fill('–'));
  });

  it('says what will appear where there is nothing', () => {
    const words = (parts: Partial<PartValues> = {}, name: PageStateName = 'empty') => {
      const state = withParts(name, parts);
      return [emptyWords(state, 'orders'), emptyWords(state, 'positions'), noteOf(state)];
    };
    const [ofOrders, ofPositions, ofAccount] = words();
    expect([ofOrders?.[0], ofPositions?.[1], ofAccount?.[0]]).toEqual([
      ...['No open order.', 'No open position.', 'No balance in any wallet.'],
    ]);
    expect(words({}, 'waiting').slice(0, 2)).toEqual(Array(2).fill(['–', '']));
    const { about, orders, positions, account } = pageState('empty').parts;
    expect(words({ about: { ...about, account: false } }).map(([first]) => first)).toEqual(
      Array(3).fill('No account.'),
    );
    const refused = (reason: object) => {
      const state: Freshness = { ...orders.state, status: 'refused', ...reason };
      return words({
        orders: { ...orders, state },
        positions: { ...positions, state },
        account: { ...account, state },
      });
    };
    expect(refused({ reason: 'no permission' })).toEqual(Array(3).fill(['Not readable.', 'no permission']));
    expect(refused({})).toEqual(Array(3).fill(['Not readable.', '']));
    const unvalued = (...notValued: string[]) => words({ account: { ...account, value: null, notValued } })[2]?.[1];
    expect(unvalued('XYZ')).toBe('Without a price, not in the value: XYZ.');
    expect(unvalued()).toContain('until every wallet was read');
  });

  it('says which wallet is stale, and how many assets are not shown', () => {
    const wallets = pageState('normal').parts.account.wallets.map((wallet) => ({
      ...{ ...wallet, notShown: 2 },
      state: { ...wallet.state, status: 'stale' as const, since: now - 5000 },
    }));
    expect(walletRows(wallets, stateOf('normal'))[0]).toMatchObject({ name: 'Spot', note: 'stale 5 s, 2 more' });
    expect([sinceWords(now - 86_400_000, now), sinceWords(now - 7_260_000, now)]).toEqual(['24 h', '2 h 01']);
  });

  it('places outages and executions among the candles', () => {
    const { candles, executions } = pageState('down').parts;
    const { points } = candles;
    const place = (at: number) => placeOf(at, points, 60_000);
    const [first = 0, second = 0] = points.map(({ at }) => at);
    expect([place(first), place(second + 30_000), place(0)]).toEqual([-0.5, 1, 0]);
    expect(outageBands(candles, stateOf('down'))).toEqual([
      { from: place(now - 72_000), to: null, text: 'no data since 20:31:04' },
    ]);
    const past = { ...pageState('normal').parts.candles, outages: [{ from: first, to: second }] };
    expect(outageBands(past, stateOf('normal'))).toMatchObject([{ from: -0.5, to: 0.5 }]);
    expect(outageBands({ ...past, outages: [] }, stateOf('normal', 'lost'))).toHaveLength(1);
    const marks = executionMarkers(executions.list, 'BTC_USDT', points, 60_000);
    expect(marks).toHaveLength(14);
    expect(marks.at(-1)).toEqual({ at: Date.UTC(2026, 10, 28, 20, 30), side: 'sell' });
    expect(executionMarkers(executions.list, 'ETH_USDT', points, 60_000)).toEqual([]);
  });

  it('keeps the points of a series that continues', () => {
    const series = (whole: boolean, ...ats: number[]) => ({ whole, points: ats.map((at) => ({ at })) });
    const ats = (before: number[], next: ReturnType<typeof series>) =>
      joined(series(true, ...before), next).points.map(({ at }) => at);
    expect(ats([1, 2, 3], series(false, 3, 4))).toEqual([1, 2, 3, 4]);
    expect(ats([1, 2, 3], series(false))).toEqual([1, 2, 3]);
    expect(ats([1, 2, 3], series(true, 9))).toEqual([9]);
    const update = pageState('normal');
    expect(withUpdate({}, update).candles?.points).toHaveLength(160);
  });
});
