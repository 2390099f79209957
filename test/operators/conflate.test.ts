import { conflate } from 'exchange-rx';
import { of, Subject, take } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Book {
  readonly market: string;
  readonly updateId: number;
}
const book = (market: string, updateId: number): Book => ({ market, updateId });
const byMarket = ({ market }: Book) => market;

function setup(key?: (value: Book) => unknown) {
  const source$ = new Subject<Book>();
  const seen: unknown[] = [];
  const subscription = source$.pipe(conflate(key)).subscribe({
    next: (value) => seen.push(value),
    error: (error: unknown) => seen.push(error),
    complete: () => seen.push('complete'),
  });
  return { source$, seen, subscription };
}

describe('conflate', () => {
  it('passes the latest value on at the end of the turn', () => {
    const { source$, seen } = setup();
    for (const updateId of [1, 2, 3]) source$.next(book('BTC_USDT', updateId));
    expect(seen).toEqual([]);
    vi.runAllTimers();
    expect(seen).toEqual([book('BTC_USDT', 3)]);
    vi.runAllTimers();
    source$.next(book('BTC_USDT', 4));
    vi.runAllTimers();
    expect(seen).toEqual([book('BTC_USDT', 3), book('BTC_USDT', 4)]);
  });

  it('passes the latest value of each key on, in the order of these values', () => {
    const { source$, seen } = setup(byMarket);
    for (const value of [book('A', 1), book('B', 2), book('A', 3), book('C', 4), book('C', 5)]) source$.next(value);
    vi.runAllTimers();
    expect(seen).toEqual([book('B', 2), book('A', 3), book('C', 5)]);
    source$.next(book('B', 6));
    vi.runAllTimers();
    expect(seen.slice(3)).toEqual([book('B', 6)]);
  });

  it('passes values that come while it emits on in the next turn', () => {
    const { source$, seen } = setup(byMarket);
    source$.pipe(conflate(byMarket), take(1)).subscribe(() => {
      source$.next(book('A', 2));
    });
    source$.next(book('A', 1));
    vi.runAllTimers();
    expect(seen).toEqual([book('A', 1), book('A', 2)]);
  });

  it('completes after the waiting values', () => {
    const { source$, seen } = setup(byMarket);
    source$.next(book('A', 1));
    source$.next(book('B', 2));
    source$.complete();
    expect(seen).toEqual([]);
    vi.runAllTimers();
    expect(seen).toEqual([book('A', 1), book('B', 2), 'complete']);
    const empty = setup();
    empty.source$.complete();
    expect(empty.seen).toEqual(['complete']);
  });

  it('passes an error on at once, without the waiting values', () => {
    const { source$, seen } = setup();
    source$.next(book('A', 1));
    source$.error('broken');
    expect(seen).toEqual(['broken']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails with the error of its key', () => {
    const { source$, seen } = setup(() => {
      throw new Error('no key');
    });
    source$.next(book('A', 1));
    expect(seen).toEqual([new Error('no key')]);
    expect(source$.observed).toBe(false);
  });

  it('leaves nothing when it is unsubscribed', () => {
    const { source$, seen, subscription } = setup();
    source$.next(book('A', 1));
    expect(vi.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
    expect(source$.observed).toBe(false);
    vi.runAllTimers();
    expect(seen).toEqual([]);
  });

  it('has values of its own for each subscriber', () => {
    const seen: unknown[] = [];
    const values$ = of(1, 2).pipe(conflate());
    for (const _ of [1, 2]) values$.subscribe((value) => seen.push(value));
    vi.runAllTimers();
    expect(seen).toEqual([2, 2]);
  });
});
