// Orders where premises fail: subscribers that leave within a callback, clocks that are wrong, identifiers used again.
import { take, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { LiveOrderItem } from '../../../src/live/my/order-change.js';
import { onFakeTime, seconds } from '../setup.js';
import { AccountOfOrders, lost } from './account-of-orders.js';

function briefsOf(source$: Observable<LiveOrderItem>): string[] {
  const briefs: string[] = [];
  source$.subscribe((item) => {
    if (item.kind === 'gap') briefs.push(`gap ${item.reason} ${item.filled ? 'filled' : 'unfilled'}`);
    else if (item.kind !== 'oto') briefs.push(`${item.kind} ${item.order.order_id}`);
  });
  return briefs;
}

async function cutFor(account: AccountOfOrders, meanwhile: () => void): Promise<void> {
  account.cut();
  meanwhile();
  account.connect();
  await seconds(5);
}

describe('a subscriber that leaves when it gets an item', () => {
  onFakeTime();

  it('leaves no timer and no request after the first open orders', async () => {
    const account = new AccountOfOrders();
    account.stream.open$.pipe(take(1)).subscribe();
    account.connect();
    await seconds(1);
    const sent = account.requests.length;
    await seconds(600);
    expect([vi.getTimerCount(), account.requests.length]).toEqual([0, sent]);
  });

  it('leaves no timer after a gap', async () => {
    const account = new AccountOfOrders();
    account.stream.items$.pipe(take(1)).subscribe();
    account.connect();
    await seconds(1);
    await cutFor(account, () => account.place());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer after an unreadable push', async () => {
    const account = new AccountOfOrders();
    account.stream.open$.pipe(take(2)).subscribe();
    account.connect();
    await seconds(1);
    account.pending.follower?.onInterrupted('unreadable');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('orders after an interruption', () => {
  onFakeTime();

  it.each([0, 7200, -7200])(
    'are found, and none that ended before the subscription, by a clock %s s behind',
    async (clockAheadS) => {
      const account = new AccountOfOrders();
      account.clockAheadS = clockAheadS;
      account.cancel(account.place());
      await seconds(30);
      const briefs = briefsOf(account.stream.items$);
      account.connect();
      await seconds(5);
      await cutFor(account, () => {
        account.cancel(account.place());
      });
      expect(briefs).toEqual(['gap reconnect unfilled', 'ended 2', 'gap reconnect filled']);
      expect(account.historyReads.map((from) => Math.abs(from - account.now) < 120)).toEqual([true, true, true]);
    },
  );

  it('are found after the clock of this machine was set forward', async () => {
    const account = new AccountOfOrders();
    const briefs = briefsOf(account.stream.items$);
    account.connect();
    await seconds(5);
    vi.setSystemTime(Date.now() + 7_200_000);
    account.clockAheadS = -7200;
    account.place();
    await cutFor(account, () => {
      account.cancel(account.place());
    });
    expect(briefs).toEqual(['opened 1', 'gap reconnect unfilled', 'ended 2', 'gap reconnect filled']);
  });

  it('are read while pushes are unreadable without end', async () => {
    const account = new AccountOfOrders();
    account.latencyMs = 100;
    const briefs = briefsOf(account.stream.items$);
    account.connect();
    await seconds(5);
    account.place({}, 'lost');
    for (let count = 0; count < 20; count += 1) {
      account.pending.follower?.onInterrupted('unreadable');
      await seconds(0.1);
    }
    expect(briefs.slice(0, 2)).toEqual(['gap unreadable unfilled', 'opened 1']);
  });

  it('have a gap when the connection was lost before the open orders were read', async () => {
    const account = new AccountOfOrders();
    const briefs = briefsOf(account.stream.items$);
    account.failure = lost;
    account.connect();
    await seconds(5);
    account.place();
    await cutFor(account, () => {
      account.fill(1, 1);
      account.fill(account.place(), 1);
      account.failure = undefined;
    });
    expect(briefs).toEqual([...['opened 1', 'gap reconnect unfilled', 'ended 1', 'ended 2', 'gap reconnect filled']]);
  });
});

describe('a modification before the subscription', () => {
  onFakeTime();

  it('is followed to the order that replaces it', async () => {
    const account = new AccountOfOrders();
    const id = account.place();
    const placed = account.placed(id);
    const next = account.modify(id);
    account.stream.items$.subscribe();
    account.connect();
    await seconds(100);
    const briefs: string[] = [];
    account.stream.follow(placed).subscribe({
      next: ({ kind, order }) => briefs.push(`${kind} ${order.order_id}`),
      complete: () => briefs.push('completed'),
    });
    await seconds(10);
    expect(briefs).toEqual(['modified 2']);
    const last = account.modify(next);
    await seconds(10);
    account.fill(last, 1);
    await seconds(10);
    expect(briefs).toEqual(['modified 2', 'modified 3', 'ended 3', 'completed']);
  });
});

describe('the ends of all orders at once', () => {
  onFakeTime();

  it.each(['pushed', 'lost'] as const)(
    'are all reported, however many they are, when they are %s',
    async (delivery) => {
      const account = new AccountOfOrders();
      const ids = Array.from({ length: 600 }, () => account.place());
      const briefs = briefsOf(account.stream.items$);
      const open: number[] = [];
      account.stream.open$.subscribe(({ orders }) => open.push(orders.size));
      account.connect();
      await seconds(1);
      const cancelAll = () => {
        for (const id of ids) account.cancel(id, delivery);
      };
      if (delivery === 'lost') await cutFor(account, cancelAll);
      else cancelAll();
      await seconds(200);
      expect(briefs.filter((one) => one.startsWith('ended')).toSorted()).toEqual(
        ids.map((id) => `ended ${id}`).toSorted(),
      );
      expect(open.at(-1)).toBe(0);
    },
  );
});

describe('an identifier that is used again', () => {
  onFakeTime();

  it('makes no change of the orders that had it before', async () => {
    const account = new AccountOfOrders();
    const again = { client_order_id: 'again' };
    for (const _ of [1, 2]) account.cancel(account.place(again));
    await seconds(600);
    const briefs = briefsOf(account.stream.items$);
    account.connect();
    await seconds(5);
    const id = account.place(again);
    const ends: string[] = [];
    account.stream.follow(account.placed(id)).subscribe({ complete: () => ends.push('followed') });
    account.cancel(id);
    await seconds(5);
    expect([briefs, ends]).toEqual([['opened 3', 'ended 3'], ['followed']]);
  });
});
