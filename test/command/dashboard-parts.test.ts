// The figures, the events and the links of the dashboard's page, each by itself.
import type { ClientEvent } from 'exchange-rx';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { firstValueFrom, from, Subject, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Equity } from '../../src/cli/dashboard/parts/account.js';
import { percentAbove, rateOf, rulesOf, signed, timeOf } from '../../src/cli/dashboard/parts/figures.js';
import { worstOf } from '../../src/cli/dashboard/parts/freshness.js';
import { streamLink } from '../../src/cli/dashboard/parts/links.js';
import type { Update } from '../../src/cli/dashboard/messages.js';
import { streamPage } from '../../src/cli/dashboard/page-stream.js';
import type { PartUpdate } from '../../src/cli/dashboard/parts/page-parts.js';
import { viewOf } from '../../src/cli/dashboard/parts/view.js';
import { Witness } from '../../src/cli/dashboard/parts/witness.js';
import { decimal } from '../../src/model/decimal.js';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime(1_800_000_000_000);

const fallback = { market: 'BTC_USDT', currency: 'USDT' };

it.each([
  ['market=ETH_USDT&interval=1h&currency=BTC', { market: 'ETH_USDT', interval: '1h', currency: 'BTC' }],
  ['', { ...fallback, interval: '1m' }],
  ['market=../x&interval=2m&currency=%3Cb%3E', { ...fallback, interval: '1m' }],
  [`market=${'A'.repeat(40)}_USDT&currency=${'B'.repeat(21)}`, { ...fallback, interval: '1m' }],
])('the view of a page with the query %j is possible, with defaults', (query, view) => {
  expect(viewOf(new URLSearchParams(query), fallback)).toEqual(view);
});

describe('figures of the server', () => {
  it('are signed, and empty where they are unknown', () => {
    const signs = [decimal('1'), decimal('-0.001'), undefined].map((value) => signed(value, 2));
    expect(signs).toEqual(['+1.00', '0.00', '']);
    const percents = [percentAbove('101', '100'), percentAbove('1', '0'), percentAbove(undefined, '1')];
    expect(percents).toEqual(['+1.00', '', '']);
    expect([timeOf(1.5), timeOf(undefined), timeOf(1e300)]).toEqual([1500, null, null]);
  });

  it('are converted by a market, its inverse, or a third currency', () => {
    const listed = { BTC_USDT: '60000', ETH_BTC: '0.05', USDT_TRY: '40', ZERO_USDT: '0' };
    const prices = new Map(Object.entries(listed));
    const rate = (asset: string, currency: string) => rateOf(asset, currency, prices)?.toNumber();
    expect([rate('BTC', 'USDT'), rate('BTC', 'BTC'), rate('TRY', 'USDT')]).toEqual([60_000, 1, 0.025]);
    expect([rate('ETH', 'USDT'), rate('BTC', 'TRY'), rate('XYZ', 'USDT')]).toEqual([3000, 2_400_000, undefined]);
    expect(rate('USDT', 'ZERO')).toBeUndefined();
  });

  it('have the decimals of the market, by its steps or its places', () => {
    const market = { name: 'A_B', stock: 'A', money: 'B', stockPrec: '3', moneyPrec: '2', type: 'spot' };
    const rules = (steps: object) => rulesOf({ ...market, ...steps });
    expect(rules({})).toMatchObject({ priceDecimals: 2, amountDecimals: 3, tick: '0.01' });
    const futures = rules({ tickSize: '0.5', stepSize: '10', type: 'futures' });
    expect(futures).toMatchObject({ priceDecimals: 1, amountDecimals: 0, tick: '0.5' });
  });

  it('of the account are kept for a day, one for each minute', async () => {
    const equity = new Equity();
    expect(equity.change(2)).toBeNull();
    equity.add('100');
    await time.advance(1000);
    equity.add('101.5');
    expect([equity.points.length, equity.change(2)]).toEqual([1, { amount: '+1.50', since: 1_800_000_000_000 }]);
    await time.advance(86_400_000);
    equity.add('90');
    expect(equity.points).toHaveLength(1);
    expect(equity.change(2)).toMatchObject({ amount: '0.00' });
  });

  it('are as true as the worst of their sources', () => {
    const state = { status: 'live', at: 5, since: 1, paceMs: null } as const;
    expect(worstOf([])).toMatchObject({ status: 'none', at: null });
    expect(worstOf([state, { ...state, status: 'stale', at: 7 }])).toMatchObject({ status: 'stale', at: 5 });
    const waiting = { status: 'waiting', at: null, since: 1, paceMs: null } as const;
    expect(worstOf([waiting, { ...state, status: 'stale' }]).status).toBe('stale');
    expect(worstOf([waiting, state]).status).toBe('waiting');
  });
});

describe('the events of the exchange', () => {
  let events: Subject<ClientEvent>;
  let witness: Witness;

  beforeEach(() => {
    events = new Subject();
    witness = new Witness({ events$: events });
  });

  const see = (event: object) => {
    events.next(event as ClientEvent);
  };
  const texts = () => witness.events.map(({ kind, text }) => `${kind}: ${text}`).toReversed();
  const endpoint = 'spot.balance';
  const connection = (status: string, more: object = {}, name = 'public') => ({
    ...{ type: 'live-connection', connection: name, state: { status, since: 1, until: 2, reason: 'lost' } },
    ...more,
  });

  it.each<[object, string[]]>([
    [{ type: 'response', endpoint, result: 'ok' }, []],
    [{ type: 'response', endpoint, result: 'error', kind: 'api', status: 422 }, [`error: ${endpoint}: api, HTTP 422`]],
    [{ type: 'response', endpoint, result: 'error' }, [`error: ${endpoint}: failed`]],
    [{ type: 'wait', endpoint, kind: 'queue-full' }, [`error: ${endpoint}: queue-full, not sent`]],
    [{ type: 'wait', endpoint }, []],
    [{ type: 'movement', endpoint, progress: 'looking-up' }, [`note: ${endpoint}: looking-up`]],
    [{ type: 'unreadable', endpoint, count: 2, sample: 'x' }, [`error: ${endpoint}: 2 records could not be read: x`]],
    [{ type: 'limit', rateLimit: 'orders', coolDownMs: 60_000 }, ['error: orders: 429, cooling down for 60 s']],
    [{ type: 'sharing', state: 'lost', reason: 'closed' }, ['note: shared limits: lost: closed']],
    [{ type: 'order', client_order_id: 'a', progress: 'absent' }, ['decided: a: was not placed']],
    [
      { type: 'live-gap', channel: 'x', reason: 'lost', from: 1, to: 3 },
      ['gap: x: gap of 2.0 s (lost), items may be missing'],
    ],
    [{ type: 'retry' }, []],
  ])('%j is written as %j', (event, written) => {
    see(event);
    expect(texts()).toEqual(written);
  });

  it('name a lost connection, its attempts and its return', async () => {
    see(connection('open'));
    see(connection('waiting', { code: 1006 }));
    await time.advance(1500);
    see(connection('waiting', { status: 503 }));
    see(connection('connecting'));
    see(connection('open'));
    see(connection('idle'));
    see(connection('waiting', {}, 'candles'));
    expect(texts()).toEqual([
      'lost: live connection lost: closed, code 1006',
      'error: live connection: attempt 1 failed: closed, HTTP 503',
      'back: live connection back after 1.5 s',
      'error: connection of candles: attempt 1 failed: closed',
    ]);
    expect(witness.counts).toEqual({ gaps: 0, losses: 1, errors: 0 });
  });

  it('are counted over the last hour', async () => {
    const limit = { type: 'limit', rateLimit: 'orders', coolDownMs: 1 };
    see(limit);
    await time.advance(1_800_000);
    see(limit);
    see(limit);
    expect(witness.counts.errors).toBe(3);
    await time.advance(2_400_000);
    expect(witness.counts.errors).toBe(2);
  });
});

it('a link counts the attempts since it was lost, and keeps the reason', async () => {
  const waiting = { status: 'waiting', until: 9, reason: 'lost' } as const;
  const connecting = { status: 'connecting' } as const;
  const open = { status: 'open', since: 5, generation: 1 } as const;
  const states = [connecting, open, waiting, connecting, waiting, { status: 'idle' } as const];
  const links = await firstValueFrom(streamLink(from(states)).pipe(toArray()));
  expect(links.map(({ status, attempt, reason = '' }) => `${status} ${attempt} ${reason}`.trim())).toEqual([
    'idle 0',
    'connecting 0',
    'live 0',
    'lost 1 closed',
    'connecting 1 closed',
    'lost 2 closed',
    'idle 0',
  ]);
});

it('a feed sends a series once, then from the first point on that the page lacks, and all of another one', async () => {
  const sent: unknown[] = [];
  const write = (data: string) => {
    const { parts } = JSON.parse(data.slice('data: '.length)) as Update;
    const { whole, points = [] } = parts.equity ?? {};
    return sent.push([whole, points.map(({ value }) => value).join(' ')]) > 0;
  };
  const response = Object.assign(new EventEmitter(), { write, destroy: () => undefined }) as unknown as ServerResponse;
  const parts$ = new Subject<PartUpdate>();
  const stream = streamPage(response, parts$);
  const point = (at: number, value: string) => ({ at, value });
  const [first, second] = [point(1, 'a'), point(2, 'b')];
  for (const [whole, values, ...points] of [
    [true, 'a b', first, second],
    [false, 'c d', first, point(2, 'c'), point(3, 'd')],
    [true, 'b e', second, point(3, 'e')],
    [true, 'f g', point(1, 'f'), point(3, 'g')],
    [true, ''],
  ] as const) {
    parts$.next({ name: 'equity', value: { whole: true, points } });
    await time.advance(200);
    expect(sent.splice(0)).toEqual([[whole, values]]);
  }
  parts$.next({ name: 'equity', value: { whole: true, points: [first] } });
  parts$.complete();
  expect(stream.closed).toBe(true);
});
