import {
  failOnGap,
  GapError,
  withoutGaps,
  type LiveGap,
  type StreamGap,
  type CandleItem,
  type TradeItem,
} from 'exchange-rx';
import { type Observable } from 'rxjs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';
import type { StreamFailure } from '../../src/streams/polled-events.js';

const gap: StreamGap = { kind: 'gap', reason: 'overflow', from: 1795316400, to: 1795316460 };
const filled: LiveGap = { ...gap, reason: 'reconnect', channel: 'trades', market: 'BTC_USDT', filled: true };

/** Items with and without a kind, and values that are no objects. */
const items = { a: { kind: 'trade' }, b: 'b', c: { price: '1' }, n: null, G: gap, F: filled };

describe('withoutGaps', () => {
  it('drops the gaps and passes everything else on', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-G-b-F-c-n|', items).pipe(withoutGaps())).toBe('-a---b---c-n|', items);
      expectObservable(cold('-a-G-#', items).pipe(withoutGaps())).toBe('-a---#', items);
    });
  });

  it('takes the gaps out of the type', () => {
    const trades = (trades$: Observable<TradeItem>) => trades$.pipe(withoutGaps());
    expectTypeOf(trades).returns.toEqualTypeOf<Observable<Exclude<TradeItem, StreamGap>>>();
    type CandleKind = Exclude<CandleItem, StreamGap>['kind'];
    const kinds = (candles$: Observable<CandleItem | LiveGap>) => candles$.pipe(withoutGaps());
    expectTypeOf(kinds).returns.toEqualTypeOf<Observable<Exclude<CandleItem, StreamGap>>>();
    expectTypeOf<CandleKind>().toEqualTypeOf<'closed' | 'current' | StreamFailure['kind']>();
  });
});

describe('failOnGap', () => {
  const error = new GapError('failOnGap', gap);

  it('ends the stream at the first gap, with the gap', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b-G-a|', items);
      expectObservable(source.pipe(failOnGap())).toBe('-a-b-#', items, error);
      expectSubscriptions(source.subscriptions).toBe('^----!');
    });
    expect(error).toMatchObject({ kind: 'gap', outcome: 'none', endpoint: 'failOnGap', gap });
    expect(error.message).toBe('failOnGap: items may be missing from 1795316400 to 1795316460, Unix seconds: overflow');
  });

  it('drops a filled gap of a live stream, because its items follow', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-F-a', items).pipe(failOnGap())).toBe('---a', items);
    });
  });

  it('names the channel and market of a gap that is not filled', () => {
    const unfilled = { ...filled, filled: false };
    const live = new GapError('failOnGap', unfilled);
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-F', { F: unfilled }).pipe(failOnGap())).toBe('-#', items, live);
    });
    expect(live.message).toContain('Unix seconds (trades BTC_USDT): reconnect');
    const { market: _, ...allMarkets } = unfilled;
    expect(new GapError('failOnGap', allMarkets).message).toContain('(trades): reconnect');
  });

  it('passes items, the end and other errors on', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-b-c-n|', items).pipe(failOnGap())).toBe('-a-b-c-n|', items);
      expectObservable(cold('-a-#', items).pipe(failOnGap())).toBe('-a-#', items);
    });
  });

  it('takes the gaps out of the type', () => {
    const trades = (trades$: Observable<TradeItem>) => trades$.pipe(failOnGap());
    expectTypeOf(trades).returns.toEqualTypeOf<Observable<Exclude<TradeItem, StreamGap>>>();
  });
});

it.each([withoutGaps, failOnGap])('%o unsubscribes from the source at any time', (operator) => {
  for (const moment of everyMoment(5)) {
    marbles(({ cold, expectObservable, flush }) => {
      const source = cold('-a-b-c-a');
      expectObservable(source.pipe(operator()), moment);
      flush();
      expect(source.subscriptions.map(({ unsubscribedFrame }) => unsubscribedFrame)).toEqual([moment.length - 1]);
    });
  }
});
