// What `watch` draws on a terminal, and its lines for what a sandbox never sends: words for every state, with and without
// colors.
import type { LiveOpenOrders, LiveOrder, LiveOrderBook, LiveTradeItem } from 'exchange-rx';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bookLine } from '../../src/cli/market/book-view.js';
import { afterKey, ladder, type LadderContent, type LadderView } from '../../src/cli/market/ladder.js';
import { connectionText } from '../../src/cli/market/live-status.js';
import { tickerTable, type TickerRow } from '../../src/cli/market/ticker-view.js';
import { tradeLine } from '../../src/cli/market/trade-line.js';
import { createColors, type SafeText } from '../../src/cli/terminal/index.js';
import type { LiveConnectionEvent } from '../../src/live/connections.js';

const plain = createColors(false);
const colored = createColors(true);

const book: LiveOrderBook = {
  ...{ market: 'BTC_USDT', status: 'live', since: 1, receivedAt: 1 },
  ...{ updateId: 1, engineTime: 1, eventTime: 1 },
  bids: Array.from({ length: 10 }, (_, index) => [`5999${9 - index}.12`, '0.12345678']),
  asks: Array.from({ length: 10 }, (_, index) => [`6000${index}.12`, '0.12345678']),
};
const stale: LiveOrderBook = { ...book, status: 'stale', since: new Date(2026, 10, 23, 8, 5, 9).getTime() };

const content: LadderContent = { book, ticker: undefined, trades: [], own: undefined };

const linesOf = ({ value }: SafeText) => value.split('\n').map((line) => line.trimEnd());

describe('the ladder of an order book', () => {
  const view: LadderView = { levels: 2, group: 0 };
  const ticker: TickerRow = {
    ...{ market: 'BTC_USDT', status: 'live', receivedAt: 1, last: '60000', open: '59000' },
  };

  it('has asks above the last price and bids below it, sums, and bars as long as the sums', () => {
    const lines = linesOf(ladder({ ...content, ticker }, view, 101, plain));
    expect(lines.map((line) => line.replace(/█+.*$/, (bar) => `[${bar.length}]`).replace(/─+/, '-'))).toEqual([
      `${'BTC_USDT  60000.00  +1.69 %  spread 1.00'.padEnd(70)}live 0.1 s`,
      '   price      amount         sum',
      '60001.12  0.12345678  0.24691356  [40]',
      '60000.12  0.12345678  0.12345678  [20]',
      '60000.00                          -',
      '59999.12  0.12345678  0.12345678  [20]',
      '59998.12  0.12345678  0.24691356  [40]',
    ]);
  });

  it('says that the book is stale, for how long, and shows it dim', () => {
    const headAfter = (ms: number) => linesOf(ladder({ ...content, book: stale }, view, stale.since + ms, plain))[0];
    expect(headAfter(72_000)).toMatch(/^BTC_USDT {2}spread 1\.00 +STALE 1:12$/);
    expect(headAfter(7_200_000)).toMatch(/STALE 2h00$/);
    expect(ladder({ ...content, book: stale, ticker }, view, 1, colored).value).toContain('\u001b[2m');
    expect(ladder({ ...content, ticker }, view, 1, colored).value).not.toContain('\u001b[2m');
  });

  it('says the same with colors', () => {
    for (const one of [book, stale]) {
      const painted = ladder({ ...content, book: one, ticker }, view, 5, colored).value;
      expect(painted).toContain('\u001b[');
      expect(stripVTControlCharacters(painted)).toBe(ladder({ ...content, book: one, ticker }, view, 5, plain).value);
    }
  });

  it('shows an empty side', () => {
    const empty: LiveOrderBook = { ...book, asks: [] };
    const [head] = linesOf(ladder({ ...content, book: empty }, view, 1, plain));
    expect(head).toMatch(/^BTC_USDT {2}spread – +live 0\.0 s$/);
    expect(bookLine(empty, plain).value).toBe('BTC_USDT  live  bid 59999.12 x 0.12345678  ask –  spread –  mid –');
  });

  it('says that the last price is stale', () => {
    const lines = linesOf(ladder({ ...content, ticker: { ...ticker, status: 'stale' } }, view, 101, plain));
    expect(lines[0]).toMatch(/^BTC_USDT {2}60000 \(stale\) {2}spread 1\.00 +live 0\.1 s$/);
    expect(lines[4]).toMatch(/^ +– +─+$/);
  });

  it('groups bids down and asks up, so that no group looks better than its orders', () => {
    const lines = linesOf(ladder({ ...content, ticker }, { levels: 1, group: 3 }, 1, plain));
    expect(lines[0]).toContain('grouped x1000');
    expect(lines[2]).toMatch(/^ *60010 +1\.2345678 /);
    expect(lines[4]).toMatch(/^ *59990 +1\.2345678 /);
  });

  describe('with trades and own orders', () => {
    const tradeOf = (id: number, price: string): LiveTradeItem => ({
      kind: 'trade',
      market: 'BTC_USDT',
      trade: { id, time: 1795316400 + id, price, amount: '0.1' },
    });
    const gap: LiveTradeItem = {
      ...{ kind: 'gap', channel: 'trades', market: 'BTC_USDT', reason: 'closed', filled: true },
      ...{ from: 1795316400, to: 1795316401 },
    };
    const orderOf = (order_id: number, rest: object): LiveOrder => ({
      ...{ order_id, client_order_id: `${order_id}`, market: 'BTC_USDT', side: 'buy', type: 'limit' },
      ...{ price: '59999.12', amount: '1', left: '0.5', ...rest },
    });
    const own: LiveOpenOrders = {
      ...{ status: 'live', receivedAt: 1, unknown: [3] },
      orders: [
        orderOf(1, {}),
        orderOf(2, { left: '0.25' }),
        orderOf(3, { side: 'sell', price: '60000.12' }),
        orderOf(4, { activation_price: '59000' }),
        orderOf(5, { price: '0' }),
        orderOf(6, { left: undefined }),
        orderOf(7, { price: 'market' }),
        orderOf(8, { activation_price: '59000', activated: 1, left: '0.01' }),
      ],
    };
    const busy: LadderContent = {
      ...{ book, ticker, own },
      trades: [tradeOf(3, '60000.1'), tradeOf(2, '60000.1'), gap, tradeOf(1, '60000.3')],
    };
    const shown = (one: LadderContent, columns: number, given = view) =>
      linesOf(ladder(one, given, 101, plain, columns)).map((line) => line.replace(/[█-▏]+/g, '#').replace(/─+/, '-'));

    it.each([80, 120])('fits %d columns and 24 lines with 10 levels, and short bars beside long figures', (columns) => {
      const lines = linesOf(ladder(busy, { levels: 10, group: 0 }, 101, plain, columns));
      // The connection has a line, too.
      expect(lines.length + 1).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(lines.filter((line) => /[▐█▉-▏]/.test(line)).length).toBeGreaterThan(2);
    });

    it('has the rest of own orders at their prices, and marks an order that may have ended', () => {
      expect(shown(busy, 80)).toEqual([
        `${'BTC_USDT  60000.10 ↓  +1.69 %  spread 1.00'.padEnd(70)}live 0.1 s`,
        '   price        amount         sum   own',
        '60001.12    0.12345678  0.24691356        #',
        '60000.12    0.12345678  0.12345678  0.5?  #',
        '60000.10 ↓                                -',
        '59999.12    0.12345678  0.12345678  0.76  #',
        '59998.12    0.12345678  0.24691356        #',
      ]);
      expect(shown({ ...busy, own: { ...own, status: 'stale' } }, 80)[1]).toContain('own (stale)');
    });

    it('has bids beside asks and the latest trades, with their gaps, on 120 columns', () => {
      const [head, ...lines] = shown(busy, 120, { levels: 3, group: 0 });
      expect(head).toMatch(/^BTC_USDT {2}60000\.10 ↓ .{80,}live 0\.1 s$/);
      expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
        ' sum amount own bid ask own amount sum trade price amount',
        ' ▐ 0.12345678 0.12345678 0.76 59999.12 60000.12 0.5? 0.12345678 0.12345678 # 03:00:03 60000.10 ↓ 0.1',
        '▐# 0.24691356 0.12345678 59998.12 60001.12 0.12345678 0.24691356 # 03:00:02 60000.10 ↓ 0.1',
        '# 0.37037034 0.12345678 59997.12 60002.12 0.12345678 0.37037034 # 03:00:01 gap filled in',
      ]);
    });

    it('has what is known of a market without a ticker, of one side, or of one price', () => {
      const rising = [tradeOf(2, '60000.2'), tradeOf(1, '60000.1')];
      expect(shown({ ...content, trades: rising }, 80)[0]).toMatch(/^BTC_USDT {2}60000\.20 ↑ {2}spread 1\.00 /);
      const same = [tradeOf(2, '60000.1'), tradeOf(1, '60000.1')];
      expect(shown({ ...content, trades: same }, 80)[0]).toContain('60000.10  ');
      expect(shown({ ...content, ticker: { ...ticker, last: '60000.3' } }, 80)[4]).toMatch(/^60000\.30 /);
      const lost = { ...gap, filled: false } as const;
      const wide = { ...content, book: { ...book, asks: [] }, trades: [lost, ...rising] };
      const [, , first, second] = shown(wide, 120);
      expect([first, second]).toEqual([expect.stringMatching(/some missing$/), expect.stringMatching(/ ↑ +0\.1$/)]);
      // Right after a gap there is no last price.
      expect(shown({ ...busy, trades: [gap, ...busy.trades] }, 80)[4]).toMatch(/^ +–/);
    });
  });

  it('changes with its keys: levels, groups, hold', () => {
    expect(afterKey(view, '+', 1)).toEqual({ levels: 3, group: 0 });
    expect(afterKey({ levels: 1, group: 0 }, '-', 1).levels).toBe(1);
    expect(afterKey({ levels: 100, group: 0 }, '+', 1).levels).toBe(100);
    expect(['g', 'g', 'g', 'g'].reduce((one, key) => afterKey(one, key, 1), view)).toEqual(view);
    const held = afterKey(view, ' ', 1000);
    expect(linesOf(ladder({ ...content, ticker }, held, 13_000, plain))[0]).toMatch(/ HELD 0:12$/);
    expect(afterKey(held, ' ', 2000)).toEqual(view);
    expect(afterKey(view, 'x', 1)).toEqual(view);
  });
});

describe('the table of tickers', () => {
  const rising: TickerRow = {
    ...{ market: 'BTC_USDT', status: 'live', receivedAt: 1 },
    ...{ last: '60600', open: '60000', high: '60700', low: '59000', volume: '12.5' },
  };
  const falling: TickerRow = { ...rising, market: 'ETH_USDT', status: 'stale', last: '59400', bid: '1', ask: '2' };

  it('has a column for each market, its status, and a dash for unknown values', () => {
    expect(linesOf(tickerTable([rising, falling], plain))).toEqual([
      '        BTC_USDT  ETH_USDT',
      'status  live      stale',
      'last    60600     59400',
      'bid     –         1',
      'ask     –         2',
      '24 h    +1.00 %   -1.00 %',
      'high    60700     60700',
      'low     59000     59000',
      'volume  12.5      12.5',
    ]);
  });

  it('shows no change without a first price', () => {
    const { open: _open, ...unopened } = rising;
    expect(linesOf(tickerTable([unopened], plain))).toContain('24 h    –');
    expect(linesOf(tickerTable([{ ...rising, open: '0' }], plain))).toContain('24 h    –');
  });
});

describe('the line of a trade', () => {
  it('says that trades may be missing', () => {
    const times = { from: 1795316400, to: 1795316401 };
    const gap = { kind: 'gap', channel: 'trades', reason: 'overflow', filled: false, ...times } as const;
    expect(tradeLine({ ...gap, market: 'BTC_USDT' }, plain).value).toBe(
      '2026-11-22T03:00:01.000Z  BTC_USDT  gap  overflow: trades since 2026-11-22T03:00:00.000Z may be missing',
    );
    expect(tradeLine(gap, plain).value).toContain('  all markets  gap  ');
  });

  it('shows a trade of a side that is not known', () => {
    const trade = { id: 7, time: 1795316400, price: '2', amount: '3' };
    const line = (type?: 'buy' | 'sell' | 'swap') =>
      tradeLine({ kind: 'trade', market: 'BTC_USDT', trade: type === undefined ? trade : { ...trade, type } }, plain);
    expect(line('sell').value).toBe('2026-11-22T03:00:00.000Z  BTC_USDT  sell  3 at 2  #7');
    expect(line('swap').value).toContain('  swap  ');
    expect(line().value).toContain('  –  ');
  });
});

const waiting = { status: 'waiting', until: 0, reason: 'refused' } as const;

it.each<[LiveConnectionEvent['state'], Partial<LiveConnectionEvent>, string]>([
  [{ status: 'idle' }, {}, 'not connected'],
  [{ status: 'connecting' }, {}, 'connecting'],
  [{ status: 'authorizing' }, {}, 'authorizing'],
  [{ status: 'open', generation: 1, since: 1 }, {}, 'connected'],
  [waiting, {}, 'connection refused, next attempt in 0.0 s'],
  [waiting, { code: 1006 }, 'connection refused (code 1006), next attempt in 0.0 s'],
  [waiting, { status: 503, code: 1006 }, 'connection refused (HTTP 503), next attempt in 0.0 s'],
])('the state %j of a connection, with %j, is said in words', (state, rest, words) => {
  expect(connectionText({ type: 'live-connection', connection: 'public', state, ...rest }).value).toBe(words);
});
