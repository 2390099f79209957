// What `watch` draws on a terminal, and its lines for what a sandbox never sends: words for every state, with and without
// colors.
import type { LiveOrderBook, LiveTradeItem } from 'exchange-rx';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bookLine, bookScreen } from '../../src/cli/market/book-view.js';
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

const linesOf = ({ value }: SafeText) => value.split('\n').map((line) => line.trimEnd());

describe('the screen of an order book', () => {
  it('has status, spread and middle, asks above bids', () => {
    const lines = linesOf(bookScreen(book, 2, plain));
    expect(lines).toEqual([
      'BTC_USDT  live  spread 1  mid 59999.62',
      '     price     amount',
      'ask  60001.12  0.12345678',
      'ask  60000.12  0.12345678',
      'bid  59999.12  0.12345678',
      'bid  59998.12  0.12345678',
    ]);
  });

  it('says that the book is stale, and since when', () => {
    expect(linesOf(bookScreen(stale, 1, plain))[0]).toBe('BTC_USDT  stale since 08:05:09  spread 1  mid 59999.62');
  });

  it('says the same with colors', () => {
    for (const one of [book, stale]) {
      const painted = bookScreen(one, 5, colored).value;
      expect(painted).toContain('\u001b[');
      expect(stripVTControlCharacters(painted)).toBe(bookScreen(one, 5, plain).value);
    }
  });

  it('shows an empty side', () => {
    const empty: LiveOrderBook = { ...book, asks: [] };
    expect(linesOf(bookScreen(empty, 1, plain))[0]).toBe('BTC_USDT  live  spread –  mid –');
    expect(bookLine(empty, plain).value).toBe('BTC_USDT  live  bid 59999.12 x 0.12345678  ask –  spread –  mid –');
  });

  it('with 10 levels and the line of the connection fits on 24 lines, one of them for the cursor', () => {
    expect(linesOf(bookScreen(book, 10, plain)).length + 1).toBeLessThanOrEqual(23);
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
    const gap: LiveTradeItem = {
      ...{ kind: 'gap', channel: 'trades', reason: 'overflow', filled: false },
      ...{ from: 1795316400, to: 1795316401 },
    };
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

describe('the state of a connection', () => {
  const event = (
    state: LiveConnectionEvent['state'],
    rest: Partial<LiveConnectionEvent> = {},
  ): LiveConnectionEvent => ({
    ...{ type: 'live-connection', connection: 'public', state },
    ...rest,
  });
  const waiting = { status: 'waiting', until: 0, reason: 'refused' } as const;

  it.each<[LiveConnectionEvent, string]>([
    [event({ status: 'idle' }), 'not connected'],
    [event({ status: 'connecting' }), 'connecting'],
    [event({ status: 'authorizing' }), 'authorizing'],
    [event({ status: 'open', generation: 1, since: 1 }), 'connected'],
    [event(waiting), 'connection refused, next attempt in 0.0 s'],
    [event(waiting, { code: 1006 }), 'connection refused (code 1006), next attempt in 0.0 s'],
    [event(waiting, { status: 503, code: 1006 }), 'connection refused (HTTP 503), next attempt in 0.0 s'],
  ])('%# is said in words', (one, words) => {
    expect(connectionText(one).value).toBe(words);
  });
});
