import { failOnGap, GapError, type LiveGap, type LiveTradeItem } from 'exchange-rx';
import { type Observable } from 'rxjs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';

const times = { from: 1795316400, to: 1795316460 };
const gap: LiveGap = {
  kind: 'gap',
  channel: 'trades',
  market: 'BTC_USDT',
  reason: 'overflow',
  filled: false,
  ...times,
};

const items = { a: { kind: 'trade' }, b: { kind: 'trade' }, G: gap, F: { ...gap, filled: true } };

describe('failOnGap', () => {
  const error = new GapError('failOnGap', gap);

  it('ends the stream at the first gap, with the gap', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b-G-a|', items);
      expectObservable(source.pipe(failOnGap())).toBe('-a-b-#', items, error);
      expectSubscriptions(source.subscriptions).toBe('^----!');
    });
    expect(error).toMatchObject({ kind: 'gap', outcome: 'none', endpoint: 'failOnGap', gap });
    expect(error.message).toBe(
      'failOnGap: items may be missing from 1795316400 to 1795316460, Unix seconds (trades BTC_USDT): overflow',
    );
    const { market: _, ...allMarkets } = gap;
    expect(new GapError('failOnGap', allMarkets).message).toContain('(trades): overflow');
  });

  it('drops a filled gap, because its items follow', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-F-a', items).pipe(failOnGap())).toBe('---a', items);
    });
  });

  it('passes items, the end and other errors on', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-b|', items).pipe(failOnGap())).toBe('-a-b|', items);
      expectObservable(cold('-a-#', items).pipe(failOnGap())).toBe('-a-#', items);
    });
  });

  it('takes the gaps out of the type', () => {
    const trades = (trades$: Observable<LiveTradeItem>) => trades$.pipe(failOnGap());
    expectTypeOf(trades).returns.toEqualTypeOf<Observable<Exclude<LiveTradeItem, LiveGap>>>();
  });

  it('unsubscribes from the source at any time', () => {
    for (const moment of everyMoment(5)) {
      marbles(({ cold, expectObservable, flush }) => {
        const source = cold('-a-b-b-a', items);
        expectObservable(source.pipe(failOnGap()), moment);
        flush();
        expect(source.subscriptions.map(({ unsubscribedFrame }) => unsubscribedFrame)).toEqual([moment.length - 1]);
      });
    }
  });
});
