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

  it('ends with the error of the source', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-#').pipe(poll({ everyMs: 4 }))).toBe('-a-#');
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

  describe('refreshOn', () => {
    it('starts a round at once, and the pause again after it', () => {
      marbles(({ cold, hot, expectObservable }) => {
        const refreshOn = hot('  -----r');
        const result = cold('-a|').pipe(poll({ everyMs: 9, refreshOn }));
        expectObservable(result, '-------------------!').toBe('-a----a----------a--');
      });
    });

    it('starts exactly one more round after the current one', () => {
      marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
        const source = cold('---a|');
        const refreshOn = hot('  -rrr');
        expectObservable(source.pipe(poll({ everyMs: 50, refreshOn })), '--------------------!').toBe(
          '---a---a-------------',
        );
        expectSubscriptions(source.subscriptions).toBe(['^---!', '----^---!']);
      });
    });

    it('ends the polling with its error', () => {
      marbles(({ cold, hot, expectObservable }) => {
        expectObservable(cold('-a|').pipe(poll({ everyMs: 4, refreshOn: hot('---#') }))).toBe('-a-#');
      });
    });

    it('does not end the polling when it completes', () => {
      marbles(({ cold, hot, expectObservable }) => {
        expectObservable(cold('-a|').pipe(poll({ everyMs: 4, refreshOn: hot('|') })), '---------!').toBe('-a-----a--');
      });
    });
  });

  describe('pauseWhile', () => {
    it('lets the current round end, and starts one at once when it resumes', () => {
      marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
        const source = cold('--a|');
        const pauseWhile = hot('-p------r', { p: true, r: false });
        expectObservable(source.pipe(poll({ everyMs: 2, pauseWhile })), '------------!').toBe('--a-------a--');
        expectSubscriptions(source.subscriptions).toBe(['^--!', '--------^--!']);
      });
    });

    it('starts a round at once when it resumes between two rounds', () => {
      marbles(({ cold, hot, expectObservable }) => {
        const pauseWhile = hot('----p---r', { p: true, r: false });
        expectObservable(cold('-a|').pipe(poll({ everyMs: 50, pauseWhile })), '------------!').toBe('-a-------a---');
      });
    });

    it('can pause from the start', () => {
      marbles(({ cold, hot, expectObservable }) => {
        const pauseWhile = hot('---r', { r: false }).pipe(startWith(true));
        expectObservable(cold('-a|').pipe(poll({ everyMs: 50, pauseWhile })), '-------!').toBe('----a---');
      });
    });

    it('keeps a refresh until it resumes', () => {
      marbles(({ cold, hot, expectObservable }) => {
        const pauseWhile = hot('---p----r', { p: true, r: false });
        const refreshOn = hot(' -----x');
        expectObservable(cold('-a|').pipe(poll({ everyMs: 50, pauseWhile, refreshOn })), '--------------!').toBe(
          '-a-------a-----',
        );
      });
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
