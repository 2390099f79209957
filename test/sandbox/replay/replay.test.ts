// A program on a recording: its orders meet the recorded book, and what it receives and when is as it was recorded.
import { catchError, EMPTY, forkJoin, interval, merge, mergeMap, NEVER, tap, timer, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/sandbox/random.js';
import { createExchange, isExchangeError, type Exchange } from '../../../src/index.js';
import type { RecordedLine, Recording } from '../../../src/recording/index.js';
import { createSandbox, type MatchingOptions, type SandboxOptions } from '../../../src/sandbox/index.js';
import { book, gap, levels, lost, open, recordingOf, start, stop, text, trades } from '../../support/recording.js';
import { collected } from '../../support/watch.js';

const market = 'BTC_USDT';
/** 10 are shown at 99, and 5 are offered at 101. */
const opening = [open(5), book(100, 1, [['99', '10']], [['101', '5']])];
/** Confirms the place of an order that was sent at 200. */
const confirming = book(400, 2, [['98', '1']], [], 1);

interface Placed {
  readonly at: number;
  readonly side?: 'buy' | 'sell';
  readonly price: string;
  readonly amount: string;
  readonly ioc?: boolean;
}

const ours: Placed = { at: 200, price: '99', amount: '5' };

/** Places each order at its time after the begin; a rejected one is one of `rejected`. */
const placing =
  (orders: readonly Placed[], rejected: unknown[] = []) =>
  (exchange: Exchange): Observable<unknown> =>
    merge(
      ...orders.map(({ at, side = 'buy', ...order }) =>
        timer(at).pipe(
          mergeMap(() => exchange.spot.placeLimitOrder({ market, side, ...order })),
          catchError((error: unknown) => {
            rejected.push(isExchangeError(error) && 'code' in error ? error.code : error);
            return EMPTY;
          }),
        ),
      ),
      NEVER,
    );

async function replay(
  lines: readonly RecordedLine[],
  program: (exchange: Exchange) => Observable<unknown>,
  matching: MatchingOptions = { latencyMs: 50 },
  options: Omit<SandboxOptions, 'replay'> = {},
) {
  const sandbox = createSandbox({ replay: await recordingOf(lines), matching, ...options });
  const statuses = collected(sandbox.market(market).status$);
  const result = await sandbox.run((client) => program(createExchange(client)));
  const fills = sandbox.ledger.fills.map(
    ({ at, role, price, amount }) => `${at - start} ${role} ${amount} at ${price}`,
  );
  return { sandbox, statuses, result, fills };
}

describe('an order on recorded books and trades', () => {
  it.each<[rule: string, orders: readonly Placed[], lines: readonly RecordedLine[], fills: readonly string[]]>([
    [
      'takes what is shown, and no level twice, whatever snapshots repeat',
      [
        { at: 200, price: '101', amount: '3', ioc: true },
        { at: 700, price: '101', amount: '5', ioc: true },
      ],
      [confirming, book(600, 3, [['99', '10']], [['101', '5']])],
      ['250 taker 3 at 101', '750 taker 2 at 101'],
    ],
    [
      'takes effect a round trip after it was sent',
      [{ at: 200, price: '102', amount: '1' }],
      [book(240, 2, [], levels('101 0, 102 4'), 1)],
      ['250 taker 1 at 102'],
    ],
  ])('%s', async (_rule, orders, lines, fills) => {
    expect((await replay([...opening, ...lines, stop(1500)], placing(orders))).fills).toEqual(fills);
  });

  it('pays the fees of the options instead of the recorded ones', async () => {
    const lines = [...opening, confirming, trades(1000, { id: 5, price: '98', amount: '5' })];
    const fees = { [market]: { maker: '0', taker: '0.3' } };
    expect((await replay(lines, placing([ours]), { latencyMs: 50, fees })).sandbox.ledger.fills[0]?.fee).toBe('0');
  });

  it('compares its stop with the newest price, also after a late trade that a response had before', async () => {
    const row = { tradeID: 6, price: '102', base_volume: '1', quote_volume: '102', type: 'buy' };
    const path = `/api/v4/public/trades/${market}`;
    const body = JSON.stringify([{ ...row, trade_timestamp: start / 1000 }]);
    const response: RecordedLine = { t: start + 300, k: 'rest', path, sentAt: start + 200, status: 200, body };
    const lines = [...opening, response, trades(400, { id: 5, price: '100', amount: '1' }), stop(1500)];
    const { fills, sandbox } = await replay(lines, (exchange) =>
      timer(500).pipe(
        mergeMap(() =>
          exchange.spot.placeStopMarketOrder({ market, side: 'buy', amount: '50', activation_price: '101.5' }),
        ),
        mergeMap(() => NEVER),
      ),
    );
    expect(fills).toEqual(['550 taker 0.495 at 101']);
    expect(sandbox.market(market).price()).toBe('102');
  });
});

it('what is due between two lines happens before the later one: a kill switch cancels orders before a trade reaches them', async () => {
  const lines = [...opening, confirming, trades(8000, { id: 5, price: '98', amount: '5' }), stop(9000)];
  const { fills, sandbox } = await replay(lines, (exchange) =>
    merge(
      placing([ours])(exchange),
      timer(300).pipe(mergeMap(() => exchange.orders.setKillSwitch({ market, timeout: 5 }))),
    ),
  );
  expect(fills).toEqual([]);
  const ended = sandbox.ledger.orders.map(({ status, ftime = 0 }) => `${status} ${Math.round(ftime * 1000) - start}`);
  expect(ended).toEqual(['CANCELED 5350']);
});

describe('a market of a recording', () => {
  const closing = [...opening, gap(500, 'sequence'), book(800, 9, [['99', '4']], [['101', '5']]), stop(1500)];

  it('is closed until its first snapshot, and in gaps', async () => {
    const { statuses, result } = await replay(closing, () => NEVER);
    expect(statuses).toEqual([
      { status: 'closed', reason: 'start', since: start },
      { status: 'open', since: start + 100 },
      { status: 'closed', reason: 'sequence', since: start + 500 },
      { status: 'open', since: start + 800 },
    ]);
    expect(result.closures).toEqual([
      { market, reason: 'start', from: start, to: start + 100 },
      { market, reason: 'sequence', from: start + 500, to: start + 800 },
    ]);
  });

  it('rejects orders with code 31 while it is closed, and cancels them', async () => {
    const rejected: unknown[] = [];
    const { sandbox } = await replay(closing, (exchange) =>
      merge(
        placing([ours, { ...ours, at: 600 }], rejected)(exchange),
        timer(650).pipe(mergeMap(() => exchange.orders.cancelAll({ market }))),
      ),
    );
    expect(rejected).toEqual([31]);
    expect(sandbox.ledger.orders.map(({ status }) => status)).toEqual(['CANCELED']);
  });

  it.each<[what: string, lines: readonly RecordedLine[], reason: string]>([
    ['a change is missing', [book(300, 5, [['98', '1']], [], 4)], 'sequence'],
    ['a book is unreadable', [text(300, '{"method": "depth_update", "params": ["BTC_USDT"]}')], 'unreadable'],
    ['its connection ended', [{ t: start + 300, k: 'end', c: 1, reason: 'left' }], 'disconnected'],
  ])('is closed when %s', async (_what, lines, reason) => {
    for (const orders of [[ours], []]) {
      const { result } = await replay([...opening, ...lines], placing(orders));
      expect(result.closures.at(-1)).toEqual({ market, reason, from: start + 300 });
    }
  });
});

const random = createRandom(38);
const below = (price: number): [string, string] => [
  String(price - Math.floor(random() * 40)),
  String(Math.floor(random() * 3)),
];
const rows = (price: number) => [below(price), below(price)];
const changes = Array.from({ length: 1150 }, (_, index): RecordedLine[] => {
  const t = 110 + index * 10;
  if (index % 7 === 3) return [trades(t, { id: index + 1, price: '99', amount: '1' })];
  // Now and then a snapshot, and a number as the exchange would not write it.
  if (index % 400 === 399) return [book(t, index + 2, [['99', '7'], ...rows(98)], [['101', '5']])];
  const bids = index % 300 === 250 ? [...rows(99), [97, '1.0'] as unknown as [string, string]] : rows(99);
  return [book(t, index + 2, bids, [], index % 7 === 4 ? index : index + 1)];
}).flat();
/** The book and the trades over REST at the end, after reading them at these intervals, with or without an order. */
const atTheEnd = async (everyMs: number, orders: readonly Placed[]) => {
  const seen: { readonly asks: unknown; readonly bids: readonly unknown[]; readonly list: readonly unknown[] }[] = [];
  await replay([...opening, ...changes, stop(13_000)], (exchange) =>
    merge(
      placing(orders)(exchange),
      merge(interval(everyMs), timer(12_800)).pipe(
        mergeMap(() =>
          forkJoin([exchange.public.orderBook({ market, limit: 100 }), exchange.public.recentTrades({ market })]),
        ),
        tap(([{ asks, bids }, list]) => seen.push({ asks, bids, list })),
      ),
    ),
  );
  return seen.at(-1);
};

it('a book that no order can meet is the same whenever it is read, and as if an order could', async () => {
  const read = await atTheEnd(100_000, []);
  expect([read?.asks, read?.bids.length, read?.list.length]).toEqual([[['101', '5']], 27, 100]);
  expect(read).toEqual(await atTheEnd(1300, []));
  expect(read).toEqual(await atTheEnd(100_000, [{ at: 150, price: '90', amount: '1' }]));
});

describe('what a program receives', () => {
  it('is the recorded book, and the recorded end of its connection', async () => {
    const seen: string[] = [];
    const again = [lost(1000), open(4000), book(4100, 9, [['97', '1']], [['101', '5']]), stop(5000)];
    const lines = [...opening, confirming, ...again];
    const { sandbox } = await replay(lines, (exchange) =>
      exchange.live
        .orderBook({ market })
        .pipe(tap(({ status, updateId, bids }) => seen.push(`${status} ${updateId} ${bids[0]?.[0] ?? ''}`))),
    );
    expect(seen).toEqual(['live 1 99', 'live 2 99', 'stale 2 99', 'live 9 97']);
    expect(sandbox.ledger.live.connectionCount).toBe(2);
  });

  it('is what is known first, for a late subscription', async () => {
    const seen: unknown[] = [];
    await replay([...opening, confirming, book(1000, 3, [['98', '2']], [], 2), stop(2000)], (exchange) =>
      timer(600).pipe(
        mergeMap(() => exchange.live.orderBook({ market })),
        tap(({ updateId, bids }) => seen.push([updateId, bids])),
      ),
    );
    expect(seen).toEqual([
      [2, levels('99 10, 98 1')],
      [3, levels('99 10, 98 2')],
    ]);
  });

  it('is a window of the recorded book, with fewer levels', async () => {
    const seen: unknown[] = [];
    await replay([...opening, confirming, book(500, 3, [['99', '0']], [], 2), stop(2000)], (exchange) =>
      exchange.live.orderBook({ market, limit: 1 }).pipe(tap(({ bids }) => seen.push(bids))),
    );
    expect(seen).toEqual([[['99', '10']], [['98', '1']]]);
  });

  it('are the recorded trades, over REST, too, each once', async () => {
    const seen: unknown[] = [];
    const row = { price: '100', base_volume: '1', quote_volume: '100', trade_timestamp: start / 1000 - 9, type: 'buy' };
    const response = (t: number, ...ids: readonly number[]): RecordedLine => ({
      ...{ t: start + t, k: 'rest', path: `/api/v4/public/trades/${market}`, sentAt: start + t, status: 200 },
      body: JSON.stringify(ids.map((tradeID) => ({ ...row, tradeID }))),
    });
    const old = [3, 2].map((id) => ({ id, at: -9000, price: '100', amount: '1' }));
    const pushed = trades(300, { id: 5, price: '99', amount: '1' }, ...old);
    await replay([response(1, 3, 2), ...opening, pushed, response(400, 6, 5, 3), stop(2000)], (exchange) =>
      merge(
        exchange.live.trades({ markets: [market] }).pipe(tap((item) => seen.push('trade' in item && item.trade.id))),
        timer(900).pipe(
          mergeMap(() => exchange.public.recentTrades({ market })),
          tap((list) => seen.push(list.map(({ tradeID }) => tradeID))),
        ),
      ),
    );
    expect(seen).toContainEqual(5);
    expect(seen.at(-1)).toEqual([6, 5, 3, 2]);
  });

  it('keeps a text that is not a message at its place', async () => {
    const seen: string[] = [];
    await replay([...opening, text(300, 'no json'), text(310, null), stop(9000)], (exchange) =>
      exchange.live.orderBook({ market }).pipe(tap(({ status }) => seen.push(status))),
    );
    expect(seen).toContain('stale');
  });
});

describe('a replay', () => {
  it('is made of a recording', async () => {
    expect(() => createSandbox({ replay: JSON.parse('{}') as Recording })).toThrow('must be a recording');
    await expect(createSandbox().run(() => NEVER)).rejects.toThrow('the sandbox replays nothing');
  });

  it('runs one program, and its clock is that of the recording', async () => {
    const { sandbox } = await replay([...opening], () => EMPTY);
    await expect(sandbox.run(() => NEVER)).rejects.toThrow('a sandbox runs one program');
    expect(() => {
      sandbox.clock.advance(1);
    }).toThrow('use sandbox.run');
    expect(() => {
      sandbox.clock.skew(1);
    }).toThrow('that of the recording');
    expect(sandbox.clock.now()).toBe(start);
  });
});
