import { poll, RequestError } from 'exchange-rx';
import { of, startWith } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';

describe('poll', () => {
  it('subscribes at once, and again after a pause', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--a|');
      expectObservable(source.pipe(poll({ everyMs: 4 })), '---------------!').toBe('--a------a------');
      expectSubscriptions(source.subscriptions).toBe(['^--!', '-------^--!', '--------------^!']);
    });
  });

  it('never has two rounds in progress, however slow the source is', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--------a|');
      expectObservable(source.pipe(poll({ everyMs: 1 })), '--------------------!').toBe('--------a---------a--');
      expectSubscriptions(source.subscriptions).toBe(['^--------!', '----------^--------!']);
    });
  });

  it('computes the pause from the last value of the round when everyMs is a function', () => {
    marbles(({ cold, expectObservable }) => {
      const everyMs = (last: number | undefined) => last ?? 1;
      expectObservable(cold('a|', { a: 3 }).pipe(poll({ everyMs })), '---------!').toBe('a---a---a-', { a: 3 });
      expectObservable(cold<number>('-|').pipe(poll({ everyMs })), '---------!').toBe('----------');
    });
  });

  it('refuses an invalid pause', () => {
    for (const everyMs of [0, -1, Number.NaN, Infinity]) {
      const error = new RequestError('poll', [
        { field: 'everyMs', message: `${everyMs} must be above 0 and at most 2147483647` },
      ]);
      expect(() => poll({ everyMs })).toThrow(error);
      marbles(({ expectObservable }) => {
        expectObservable(of('a').pipe(poll({ everyMs: () => everyMs }))).toBe('(a#)', undefined, error);
      });
    }
  });

  it.each<[what: string, source: string, everyMs: number, refreshes: string, pauses: string, result: string]>([
    ['ends with the error of the source', '-a-#', 4, '-', 'r', '-a-#'],
    ['starts a round at once on refreshOn, and the pause after it', '-a|', 9, '-----r', 'r', '-a----a----------a--'],
    ['starts one more round after the current one', '---a|', 50, '-rrr', 'r', '---a---a------------'],
    ['ends with the error of refreshOn', '-a|', 4, '---#', 'r', '-a-#'],
    ['goes on when refreshOn completes', '-a|', 8, '|', 'r', '-a---------a--------'],
    ['ends with the error of pauseWhile', '-a|', 4, '-', '---#', '-a-#'],
    ['lets the round end, and starts one at once when it resumes', '--a|', 2, '-', '-p------r', '--a-------a----a----'],
    ['starts a round at once when it resumes between two', '-a|', 50, '-', '----p---r', '-a-------a----------'],
    ['keeps a refresh until it resumes', '-a|', 50, '-----x', '---p----r', '-a-------a----------'],
  ])('%s', (_, source, everyMs, refreshes, pauses, result) => {
    marbles(({ cold, hot, expectObservable }) => {
      const pauseWhile = hot(pauses, { p: true, r: false });
      const result$ = cold(source).pipe(poll({ everyMs, refreshOn: hot(refreshes), pauseWhile }));
      expectObservable(result$, '-------------------!').toBe(result);
    });
  });

  it('can be paused from the start', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const pauseWhile = hot('---r', { r: false }).pipe(startWith(true));
      expectObservable(cold('-a|').pipe(poll({ everyMs: 50, pauseWhile })), '-------!').toBe('----a---');
    });
  });

  it('leaves no subscription or timer, whenever it is unsubscribed', () => {
    for (const moment of everyMoment(12)) {
      marbles(({ cold, hot, expectObservable, expectSubscriptions, flush }) => {
        const source = cold('--a|');
        const refreshOn = hot('-----------r');
        const pauseWhile = hot('-----p---r', { p: true, r: false });
        expectObservable(source.pipe(poll({ everyMs: 3, refreshOn, pauseWhile })), moment);
        expectSubscriptions(refreshOn.subscriptions).toBe(moment === '!' ? '(^!)' : `^${moment.slice(1)}`);
        expectSubscriptions(pauseWhile.subscriptions).toBe(moment === '!' ? '(^!)' : `^${moment.slice(1)}`);
        flush();
        const left = moment.length - 1;
        expect(source.subscriptions.every(({ unsubscribedFrame }) => unsubscribedFrame <= left)).toBe(true);
      });
    }
  });
});
