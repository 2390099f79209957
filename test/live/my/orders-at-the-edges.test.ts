// Orders where premises fail: subscribers that leave within a callback, clocks that are wrong, identifiers used again.
import { take, takeUntil, timer, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { onFakeTime, seconds } from '../setup.js';
import type { LiveOrderItem } from '../../../src/live/my/order-run.js';
import { accountSetup, json } from './account-exchange.js';
import { AccountOfOrders, brief, connected, lost, market, short, watched } from './account-of-orders.js';
import { collected } from '../../support/watch.js';

onFakeTime();

const shortOf = ({ values }: { readonly values: readonly LiveOrderItem[] }) => values.map(short);

async function cutFor(account: AccountOfOrders, meanwhile: () => void): Promise<void> {
  account.cut();
  meanwhile();
  account.connect();
  await seconds(5);
}

it.each<[string, (account: AccountOfOrders) => Observable<unknown>, (account: AccountOfOrders) => unknown]>([
  ['after the first open orders', ({ stream }) => stream.open$.pipe(take(1)), () => undefined],
  ['after a gap', ({ stream }) => stream.items$.pipe(take(1)), (one) => cutFor(one, () => one.place({}, 'lost'))],
  [
    'after an unreadable push',
    ({ stream }) => stream.open$.pipe(take(2)),
    (account) => account.pending.follower?.onInterrupted('unreadable'),
  ],
  [
    'while the end of an order waits for a modification',
    ({ stream }) => stream.items$.pipe(takeUntil(timer(1100))),
    async (account) => {
      account.place();
      await seconds(0.05);
      account.cancel(1);
      await seconds(0.05);
    },
  ],
])('no timer and no request is left of a subscriber that leaves %s', async (_, stream, act) => {
  const account = new AccountOfOrders();
  stream(account).subscribe();
  account.connect();
  await seconds(1);
  await act(account);
  const sent = account.requests.length;
  expect(vi.getTimerCount()).toBe(0);
  await seconds(600);
  expect(account.requests).toHaveLength(sent);
});

it('the followers of orders emit the activation of a stop order once', async () => {
  const { account } = await connected();
  account.place({ activation_price: '61000', type: 3 });
  const follower = watched(account.stream.follow(account.placed(1)));
  await seconds(2);
  account.push(1, 1, { mtime: account.now });
  for (const filled of [0.3, 1]) {
    await seconds(1);
    account.fill(1, filled);
  }
  await seconds(1);
  expect(shortOf(follower)).toEqual(['activated 1', 'updated 1', 'ended 1']);
});

describe('orders after an interruption', () => {
  it.each([0, 7200, -7200])(
    'are found, and none that ended before the subscription, by a clock %s s behind',
    async (clockAheadS) => {
      const account = new AccountOfOrders();
      account.clockAheadS = clockAheadS;
      account.cancel(account.place());
      await seconds(30);
      const items = watched(account.stream.items$);
      account.connect();
      await seconds(5);
      await cutFor(account, () => {
        account.cancel(account.place());
      });
      expect(shortOf(items)).toEqual(['gap reconnect unfilled', 'ended 2', 'gap reconnect filled']);
      expect(account.historyReads.map((from) => Math.abs(from - account.now) < 120)).toEqual([true, true, true]);
    },
  );

  it('are found after the clock of this machine was set forward', async () => {
    const { account, items } = await connected();
    await seconds(5);
    vi.setSystemTime(Date.now() + 7_200_000);
    account.clockAheadS = -7200;
    account.place();
    await cutFor(account, () => {
      account.cancel(account.place());
    });
    expect(shortOf(items)).toEqual(['opened 1', 'gap reconnect unfilled', 'ended 2', 'gap reconnect filled']);
  });

  it('are read while pushes are unreadable without end', async () => {
    const { account, items } = await connected((one) => (one.latencyMs = 100));
    await seconds(5);
    account.place({}, 'lost');
    for (let count = 0; count < 20; count += 1) {
      account.pending.follower?.onInterrupted('unreadable');
      await seconds(0.1);
    }
    expect(shortOf(items).slice(0, 2)).toEqual(['gap unreadable unfilled', 'opened 1']);
  });

  it('have a gap when the connection was lost before the open orders were read', async () => {
    const { account, items } = await connected((one) => (one.failure = lost));
    await seconds(5);
    account.place();
    await cutFor(account, () => {
      account.fill(1, 1);
      account.fill(account.place(), 1);
      account.failure = undefined;
    });
    const gaps = ['gap reconnect unfilled', 'gap reconnect filled'];
    expect(shortOf(items)).toEqual(['opened 1', gaps[0], 'ended 1', 'ended 2', gaps[1]]);
  });
});

it.each(['pushed', 'lost'] as const)(
  '600 ends at once are all reported, and end their followers, when they are %s',
  async (delivery) => {
    const account = new AccountOfOrders();
    const ids = Array.from({ length: 600 }, () => account.place());
    const items = watched(account.stream.items$);
    const open = collected(account.stream.open$, ({ orders }) => orders.length);
    account.connect();
    await seconds(1);
    const followers = ids.slice(0, 300).map((id) => watched(account.stream.follow(account.placed(id))));
    await seconds(2);
    const endAll = () => {
      for (const id of ids)
        if (id % 2 === 0) account.cancel(id, delivery);
        else account.fill(id, 1, delivery);
    };
    if (delivery === 'lost') await cutFor(account, endAll);
    else endAll();
    await seconds(200);
    const ended = shortOf(items).filter((one) => one.startsWith('ended'));
    expect(ended.toSorted()).toEqual(ids.map((id) => `ended ${id}`).toSorted());
    expect(open.at(-1)).toBe(0);
    expect(followers.filter(({ isComplete }) => isComplete)).toHaveLength(300);
  },
);

it('an identifier that is used again makes no change of the orders that had it before', async () => {
  const account = new AccountOfOrders();
  const again = { client_order_id: 'again' };
  for (const _ of [1, 2]) account.cancel(account.place(again));
  await seconds(600);
  const items = watched(account.stream.items$);
  account.connect();
  await seconds(5);
  const id = account.place(again);
  const followed = watched(account.stream.follow(account.placed(id)));
  account.cancel(id);
  await seconds(5);
  expect([shortOf(items), followed.isComplete]).toEqual([['opened 3', 'ended 3'], true]);
});

it.each([100, 500])('the orders of an outage are complete when the pages of their history have %s', async (maxPage) => {
  const { account, server, exchange } = accountSetup();
  const ended: object[] = [];
  account.rest = (path, body) => {
    if (path === '/api/v4/orders') return json(200, []);
    const { limit, offset = 0 } = JSON.parse(body) as { readonly limit: number; readonly offset?: number };
    const page = ended.slice(offset, offset + Math.min(limit, maxPage));
    return json(200, page.length === 0 ? [] : { [market]: page });
  };
  const items = collected(exchange.live.my.orders({ markets: [market] }), brief);
  await seconds(5);
  server.last.end();
  const time = Date.now() / 1000;
  for (let id = 700; id > 0; id -= 1)
    ended.push({
      ...{ id, market, clientOrderId: '', type: 'limit', side: 'buy', ctime: time, ftime: time + 1, price: '60000' },
      ...{ amount: '1', dealStock: '1', dealMoney: '60000', dealFee: '60', status: 'FILLED' },
    });
  await seconds(20);
  expect(new Set(items.filter((item) => item.startsWith('ended'))).size).toBe(700);
  expect(items.filter((item) => item.startsWith('gap'))).toEqual(['gap reconnect unfilled', 'gap reconnect filled']);
});
