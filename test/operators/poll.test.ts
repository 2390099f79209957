import { poll } from 'exchange-rx';
import { TestScheduler } from 'rxjs/testing';
import { beforeEach, describe, expect, it } from 'vitest';

let scheduler: TestScheduler;
beforeEach(() => {
  scheduler = new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

describe('poll', () => {
  it('subscribes at once, and again a pause after each completion', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--a|');
      expectObservable(source.pipe(poll({ everyMs: 4 })), '---------------!').toBe('--a------a------');
      expectSubscriptions(source.subscriptions).toBe(['^--!', '-------^--!', '--------------^!']);
    });
  });

  it('never has two rounds under way, however slow the source', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--------a|');
      expectObservable(source.pipe(poll({ everyMs: 1 })), '--------------------!').toBe('--------a---------a--');
      expectSubscriptions(source.subscriptions).toBe(['^--------!', '----------^--------!']);
    });
  });

  it('ends with the error of the source', () => {
    scheduler.run(({ cold, expectObservable }) => {
      expectObservable(cold('-a-#').pipe(poll({ everyMs: 4 }))).toBe('-a-#');
    });
  });

  it('leaves nothing behind when unsubscribed in a round or in a pause', () => {
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const inRound = cold('--a|');
      expectObservable(inRound.pipe(poll({ everyMs: 4 })), '-!').toBe('--');
      expectSubscriptions(inRound.subscriptions).toBe(['^!']);
      const inPause = cold('--a|');
      expectObservable(inPause.pipe(poll({ everyMs: 4 })), '-----!').toBe('--a---');
      expectSubscriptions(inPause.subscriptions).toBe(['^--!']);
    });
  });
});
