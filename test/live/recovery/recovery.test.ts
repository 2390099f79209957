// When a recovery reads, what for, and what it does with reads that fail or come too late.
import { EMPTY, NEVER, Subject, Subscription, throwError, type ObservableInput } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { Follower, KeySubscriptions } from '../../../src/live/channel.js';
import { Recovery, type ReadKind, type RecoveryOptions } from '../../../src/live/recovery/index.js';
import { LiveRefusedError } from '../../../src/errors/index.js';
import { ms, onFakeTime } from '../setup.js';

onFakeTime();

/** A recovery over two keys of a channel; `log` has what it does, and when. */
function setup(options: Partial<RecoveryOptions> = {}) {
  const log: string[] = [];
  const startedAt = performance.now();
  const note = (text: string) => log.push(`${Math.round(performance.now() - startedAt)} ${text}`);
  const followers = new Map<string, Follower<string>>();
  const subscriptions: KeySubscriptions<string> = {
    follow(key, follower) {
      followers.set(key, follower);
      return () => {
        followers.delete(key);
      };
    },
    renew: () => undefined,
  };
  const all = { followers, log, isWhole: true, read: (_: ReadKind): ObservableInput<string> => ['page'] };
  const subscriber = Object.assign(new Subscription(), { error: () => note('over') });
  const recovery = new Recovery<string>(
    subscriber,
    {
      interrupt: (reason) => note(reason),
      read: (kind) => {
        note(`read ${kind}`);
        return all.read(kind);
      },
      bridge: (page, kind) => {
        note(`${page} ${kind}`);
        return all.isWhole;
      },
      fail: () => note('failed'),
    },
    { random: () => 1, historyLagMs: 2000, auditAfterMs: () => 60_000, ...options },
  );
  for (const key of ['one', 'two']) recovery.follow(subscriptions, key, () => undefined);
  const confirm = () => {
    for (const follower of [...followers.values()]) follower.onSubscribed();
  };
  const cut = () => {
    for (const follower of [...followers.values()]) follower.onInterrupted('reconnect');
  };
  const taken = () => log.splice(0);
  return Object.assign(all, { subscriber, recovery, confirm, cut, taken });
}

describe('a recovery', () => {
  it('reads when all keys are confirmed, again after the lag of the history, and then each minute', async () => {
    const { followers, confirm, log } = setup();
    followers.get('one')?.onSubscribed();
    expect(log).toEqual([]);
    confirm();
    await ms(63_000);
    expect(log).toEqual([
      ...['0 read first', '0 page first', '2000 read late', '2000 page late', '62000 read audit', '62000 page audit'],
    ]);
  });

  it('compares what nothing seems to be missing of when pushes have had their time', async () => {
    const { confirm, log } = setup({ pushLagMs: 1500 });
    confirm();
    await ms(66_000);
    expect(log).toEqual([
      ...['0 read first', '0 page first', '2000 read late', '3500 page late', '63500 read audit', '65000 page audit'],
    ]);
  });

  it('reads nothing without a connection, and from the beginning with the next one', async () => {
    const { confirm, cut, taken } = setup();
    confirm();
    await ms(1000);
    taken();
    cut();
    await ms(100_000);
    confirm();
    await ms(2000);
    expect(taken()).toEqual([
      ...['1000 reconnect', '1000 reconnect', '101000 read first', '101000 page first'],
      ...['103000 read late', '103000 page late'],
    ]);
  });

  it('has nothing to miss before the first confirmation, and anything right after it', () => {
    const { followers, recovery, confirm, cut, taken } = setup();
    recovery.interrupt('unreadable');
    followers.get('one')?.onSubscribed();
    cut();
    expect(taken()).toEqual([]);
    confirm();
    recovery.interrupt('unreadable');
    expect(taken()).toEqual(['0 unreadable', '0 read first', '0 page first']);
  });

  it('goes on with extra reads without a connection, where it may', async () => {
    const { confirm, cut, taken } = setup({ isReadOffline: true });
    confirm();
    await ms(1000);
    cut();
    taken();
    await ms(61_500);
    expect(taken()).toEqual(['2000 read extra', '2000 page extra', '62000 read extra', '62000 page extra']);
  });

  it('takes a page for an extra one that was requested before the interruption', () => {
    const all = setup({ isReadOffline: true });
    const page = new Subject<string>();
    all.read = () => page;
    all.confirm();
    all.cut();
    all.confirm();
    all.taken();
    all.read = () => ['newer'];
    page.next('older');
    expect(all.taken()).toEqual(['0 older extra', '0 read first', '0 newer first']);
  });

  it('reads soon after an unreadable push, and not more often for many of them', async () => {
    const { recovery, confirm, taken } = setup();
    confirm();
    await ms(10_000);
    taken();
    for (let times = 0; times < 60; times += 1) {
      recovery.interrupt('unreadable');
      await ms(100);
    }
    expect(taken().filter((line) => line.includes('read '))).toEqual(['10250 read first', '15250 read first']);
  });

  it('repeats a failed read after growing pauses', async () => {
    const all = setup();
    all.read = () => throwError(() => new Error('no response'));
    all.confirm();
    await ms(8000);
    expect(all.taken().filter((line) => line.includes('read '))).toEqual([
      ...['0 read first', '1000 read first', '3000 read first', '7000 read first'],
    ]);
    all.read = () => ['page'];
    await ms(8000);
    expect(all.taken()).toEqual(['15000 read first', '15000 page first']);
  });

  it('ends with a failure that lasts', async () => {
    const all = setup();
    all.read = () => throwError(() => new LiveRefusedError('live.my.balances', 6, 'require authentication', undefined));
    all.confirm();
    await ms(100_000);
    expect(all.taken()).toEqual(['0 read first', '0 over']);
  });

  it('reads again soon after a page that was not whole', async () => {
    const all = setup();
    all.isWhole = false;
    all.confirm();
    await ms(1500);
    expect(all.taken()).toEqual(['0 read first', '0 page first', '1000 read late', '1000 page late']);
  });

  it('reads nothing while each push is whole', async () => {
    const all = setup({ firstAfterMs: 3000 });
    all.confirm();
    for (let times = 0; times < 100; times += 1) {
      all.recovery.settle();
      await ms(1000);
    }
    expect(all.taken()).toEqual([]);
  });

  it('reads nothing first when what was pushed before the confirmation is whole', async () => {
    const all = setup();
    all.recovery.settle();
    all.confirm();
    await ms(60_000);
    expect(all.taken()).toEqual(['60000 read audit', '60000 page audit']);
  });

  it('has one read at a time, and the next one for what went wrong meanwhile', async () => {
    const all = setup();
    const page = new Subject<string>();
    all.read = () => page;
    all.confirm();
    await ms(1000);
    all.recovery.interrupt('unreadable');
    await ms(9000);
    expect(all.taken()).toEqual(['0 read first', '1000 unreadable']);
    all.read = () => ['newer'];
    page.next('older');
    expect(all.taken()).toEqual(['10000 older extra', '10000 read first', '10000 newer first']);
  });

  it('reads again until the connection brings what was requested of it', async () => {
    const all = setup({ firstAfterMs: 3000 });
    all.read = () => EMPTY;
    all.confirm();
    await ms(3000);
    // The exchange has confirmed the subscription again, as the read has requested.
    all.confirm();
    await ms(3000);
    expect(all.taken()).toEqual(['3000 read first', '6000 read audit']);
    all.confirm();
    all.recovery.settle();
    await ms(59_000);
    expect(all.taken()).toEqual([]);
  });

  it('reads soon after an unreadable push also while it waits for what was requested', async () => {
    const all = setup({ firstAfterMs: 30_000 });
    all.read = () => EMPTY;
    all.confirm();
    await ms(31_000);
    all.recovery.interrupt('unreadable');
    await ms(1000);
    expect(all.taken()).toEqual(['30000 read first', '31000 unreadable', '31250 read first']);
  });

  it('does not begin again with each confirmation', async () => {
    const all = setup();
    all.confirm();
    await ms(1000);
    all.confirm();
    await ms(1500);
    expect(all.taken().filter((line) => line.includes('read '))).toEqual(['0 read first', '2000 read late']);
  });

  it('does nothing after its end', async () => {
    const all = setup();
    const followers = [...all.followers.values()];
    all.subscriber.unsubscribe();
    for (const follower of followers) {
      follower.onSubscribed();
      follower.onInterrupted('reconnect');
    }
    all.recovery.interrupt('unreadable');
    await ms(100_000);
    expect([all.taken(), vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('leaves no timer, read or key behind', async () => {
    const all = setup();
    all.read = () => NEVER;
    all.confirm();
    all.subscriber.unsubscribe();
    await ms(1000);
    expect([all.followers.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
