import { ExchangeDownError, pauseWhileDown } from 'exchange-rx';
import { defer, NEVER, Subject, throwError } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';
import type { Availability, PauseWhileDownOptions } from '../../src/operators/pause-while-down.js';
import { errorsOf } from '../support/watch.js';

const states: Record<string, Availability> = {
  u: { state: 'up' },
  g: { state: 'degraded', reason: 'slow' },
  d: { state: 'down', reason: 'unreachable' },
};

describe('pauseWhileDown', () => {
  const completed = new ExchangeDownError('pauseWhileDown', 'the health stream has completed');

  it.each<[string, string, string, PauseWhileDownOptions, string, ExchangeDownError?]>([
    ['keeps values while the exchange is down', 'u---d-------u', '-a----b--c-------d|', {}, '-a----------(bc)-d|'],
    ['keeps values before the health is known', '----g', '-a-b------c|', {}, '----(ab)--c|'],
    ['keeps the latest only', 'u---d-------u', '-a----b--c-------d|', { keep: 'latest' }, '-a----------c----d|'],
    ['keeps none', 'u---d-------u', '-a----b--c-------d|', { keep: 'none' }, '-a---------------d|'],
    ['completes after the values that wait', 'u---d-----u', '-a----b|', {}, '-a--------(b|)'],
    ['completes at once when no value waits', 'u---d-----u', '-a-----|', {}, '-a-----|'],
    ['passes the error of the source on at once', '--d', '---a-#', {}, '-----#'],
    ['passes the error of the health on at once', '--d--#', '---a--', {}, '-----#'],
    ['fails when the health completes while the exchange is down', '-d-|', '--a', {}, '---#', completed],
    ['goes on when the health completes while the exchange is up', 'u--|', '-----a|', {}, '-----a|'],
  ])('%s', (_, health, source, options, result, error) => {
    marbles(({ hot, expectObservable }) => {
      expectObservable(hot(source).pipe(pauseWhileDown(hot(health, states), options))).toBe(result, undefined, error);
    });
  });

  it.each([
    ['unreachable', { state: 'down', reason: 'unreachable' }],
    ['reason unknown', { state: 'down' }],
    ['its health is not known yet', undefined],
  ] as const)('fails when more than 1000 values wait, and says why they do: %s', (reason, availability) => {
    const [source$, health$] = [new Subject<number>(), new Subject<Availability>()];
    const errors = errorsOf(source$.pipe(pauseWhileDown(health$)));
    if (availability !== undefined) health$.next(availability);
    for (let value = 0; value < 1000; value += 1) source$.next(value);
    expect(errors).toEqual([]);
    source$.next(1000);
    expect(errors).toEqual([new ExchangeDownError('pauseWhileDown', `${reason}; 1000 values are held back`)]);
  });

  it('does not subscribe to the source when the health fails at once', () => {
    const subscribed = vi.fn(() => NEVER);
    defer(subscribed)
      .pipe(pauseWhileDown(throwError(() => new Error('broken'))))
      .subscribe({ error: () => undefined });
    expect(subscribed).not.toHaveBeenCalled();
  });

  it('keeps the order when a value causes another one', () => {
    const [source$, health$] = [new Subject<number>(), new Subject<Availability>()];
    const seen: number[] = [];
    source$.pipe(pauseWhileDown(health$)).subscribe((value) => {
      seen.push(value);
      if (value < 3) source$.next(value + 10);
    });
    for (const value of [1, 2, 3]) source$.next(value);
    health$.next({ state: 'up' });
    expect(seen).toEqual([1, 2, 3, 11, 12]);
  });

  it('stops between two waiting values when the exchange is down again', () => {
    const [source$, health$] = [new Subject<number>(), new Subject<Availability>()];
    const seen: number[] = [];
    source$.pipe(pauseWhileDown(health$)).subscribe((value) => {
      seen.push(value);
      if (value === 1) health$.next({ state: 'down' });
    });
    for (const value of [1, 2, 3]) source$.next(value);
    health$.next({ state: 'up' });
    expect(seen).toEqual([1]);
    health$.next({ state: 'up' });
    expect(seen).toEqual([1, 2, 3]);
  });

  it('leaves no subscription, whenever it is unsubscribed', () => {
    for (const moment of everyMoment(16)) {
      marbles(({ cold, expectObservable, flush }) => {
        const [source, health] = [cold('-a----b--c-------d|'), cold('u---d-------u', states)];
        expectObservable(source.pipe(pauseWhileDown(health)), moment);
        flush();
        expect(
          [...source.subscriptions, ...health.subscriptions].map(({ unsubscribedFrame }) => unsubscribedFrame),
        ).toEqual([moment.length - 1, moment.length - 1]);
      });
    }
  });
});
