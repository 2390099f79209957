import { changes } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { everyMoment, marbles } from '../support/marbles.js';

const values = { A: { before: undefined, after: 'a' }, B: { before: 'a', after: 'b' }, C: { before: 'b', after: 'a' } };

describe('changes', () => {
  it('emits the first value, and then each one that differs from the previous one', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a--a--b--b--a-|').pipe(changes())).toBe('-A-----B-----C-|', values);
    });
  });

  it('compares with the given function', () => {
    marbles(({ cold, expectObservable }) => {
      const source = cold('-x-y-z|', { x: 1.1, y: 1.9, z: 2 });
      const whole = changes<number>((before, after) => Math.floor(before) === Math.floor(after));
      expectObservable(source.pipe(whole)).toBe('-X---Z|', {
        X: { before: undefined, after: 1.1 },
        Z: { before: 1.1, after: 2 },
      });
    });
  });

  it('treats undefined like any other value', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-u-u|', { u: undefined }).pipe(changes())).toBe('-U--|', {
        U: { before: undefined, after: undefined },
      });
    });
  });

  it('starts again for each subscriber', () => {
    marbles(({ cold, expectObservable }) => {
      const result = cold('-a-b|').pipe(changes());
      expectObservable(result).toBe('-A-B|', values);
      expectObservable(result, '--------^').toBe('---------A-B|', values);
    });
  });

  it('passes the error of the source on', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-#').pipe(changes())).toBe('-A-#', values);
    });
  });

  it('unsubscribes from the source at any time', () => {
    for (const moment of everyMoment(6)) {
      marbles(({ cold, expectObservable, flush }) => {
        const source = cold('-a-b-a-b');
        expectObservable(source.pipe(changes()), moment);
        flush();
        expect(source.subscriptions.map(({ unsubscribedFrame }) => unsubscribedFrame)).toEqual([moment.length - 1]);
      });
    }
  });
});
