import { SlowConsumerError, toAsyncIterable } from 'exchange-rx';
import { concat, from, interval, NEVER, of, range, Subject, take, throwError } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

async function collect<T>(values: AsyncIterable<T>, eachMs = 0): Promise<T[]> {
  const seen: T[] = [];
  for await (const value of values) {
    seen.push(value);
    if (eachMs > 0) await sleep(eachMs);
  }
  return seen;
}

describe('toAsyncIterable', () => {
  it('yields every value in order, and ends with the source', async () => {
    expect(await collect(toAsyncIterable(from([1, 2, 3])))).toEqual([1, 2, 3]);
    expect(await collect(toAsyncIterable(interval(1).pipe(take(3))))).toEqual([0, 1, 2]);
  });

  it('keeps values that come while the body runs', async () => {
    expect(await collect(toAsyncIterable(interval(1).pipe(take(5))), 3)).toEqual([0, 1, 2, 3, 4]);
  });

  it('keeps only the latest value with keep: latest', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$, { keep: 'latest' });
    const first = values.next();
    source$.next(1);
    expect(await first).toEqual({ done: false, value: 1 });
    for (const value of [2, 3, 4]) source$.next(value);
    source$.complete();
    expect(await values.next()).toEqual({ done: false, value: 4 });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  it('ends the loop when more values wait than it may keep, after these values', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$, { keep: 2 });
    const first = values.next();
    source$.next(1);
    expect(await first).toEqual({ done: false, value: 1 });
    source$.next(2);
    source$.next(3);
    expect(source$.observed).toBe(true);
    source$.next(4);
    expect(source$.observed).toBe(false);
    expect(await values.next()).toEqual({ done: false, value: 2 });
    expect(await values.next()).toEqual({ done: false, value: 3 });
    const error: unknown = await values.next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SlowConsumerError);
    expect(error).toMatchObject({ kind: 'slow-consumer', maxWaiting: 2, outcome: 'none', endpoint: 'toAsyncIterable' });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  it('counts only the values that the loop has not taken', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$, { keep: 2 });
    const first = values.next();
    for (const value of [0, 1]) source$.next(value);
    expect(await first).toEqual({ done: false, value: 0 });
    for (let value = 1; value < 20; value += 1) {
      source$.next(value + 1);
      expect(await values.next()).toEqual({ done: false, value });
    }
  });

  it('keeps 10,000 values without an option, and any number with keep: all or only the latest', async () => {
    expect(await collect(toAsyncIterable(range(0, 10_000)))).toHaveLength(10_000);
    await expect(collect(toAsyncIterable(range(0, 10_001)))).rejects.toThrow(SlowConsumerError);
    expect(await collect(toAsyncIterable(range(0, 10_001), { keep: 'all' }))).toHaveLength(10_001);
    expect(await collect(toAsyncIterable(range(0, 10_001), { keep: 'latest' }))).toEqual([10_000]);
  });

  it('subscribes when the loop starts, and ends its pending next() at once when it is left', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$);
    expect(source$.observed).toBe(false);
    const waited = values.next();
    expect(source$.observed).toBe(true);
    await values.return();
    expect(source$.observed).toBe(false);
    expect(await waited).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
    expect(source$.observed).toBe(false);
    for await (const _ of toAsyncIterable(concat(of(1), NEVER))) break;
  });

  it('never subscribes when it is left before it starts', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$);
    expect(await values.return()).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
    expect(source$.observed).toBe(false);
  });

  it('yields no value after it was left', async () => {
    const source$ = new Subject<number>();
    const values = toAsyncIterable(source$);
    const first = values.next();
    source$.next(1);
    await first;
    source$.error(new Error('unseen'));
    await values.return();
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  it('throws the error of the source, after the values before it', async () => {
    const values = toAsyncIterable(
      concat(
        of(1),
        throwError(() => new Error('broken')),
      ),
    );
    expect(await values.next()).toEqual({ done: false, value: 1 });
    await expect(values.next()).rejects.toThrow('broken');
    await expect(collect(toAsyncIterable(throwError(() => undefined)))).rejects.toBeUndefined();
  });
});
