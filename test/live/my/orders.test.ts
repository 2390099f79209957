// The orders of a market: pushes, reconnections, silent losses, and orders that are followed to their ends.
import { describe, expect, it } from 'vitest';
import { AuthError } from '../../../src/errors/index.js';
import type { OrderChange } from '../../../src/live/my/order-states.js';
import { onFakeTime, seconds } from '../setup.js';
import { AccountOfOrders, brief, connected, lost, openOf, short, watched } from './account-of-orders.js';
import { collected } from '../../support/watch.js';

onFakeTime();

function noPermission(): AuthError {
  const response = { status: 401, code: 4, exchangeMessage: undefined, errors: {}, body: undefined };
  return new AuthError(response, 'no-permission', 'orders.open');
}

describe('live orders', () => {
  it('has no open orders before both channels are confirmed and the list was read', async () => {
    const account = new AccountOfOrders();
    account.place();
    const open = watched(account.stream.open$);
    account.pending.follower?.onSubscribed();
    await seconds(1);
    expect(openOf(open)).toBe('none');
    account.executed.follower?.onSubscribed();
    await seconds(1);
    expect(openOf(open)).toBe('live 1');
  });

  it('emits changes, and none of the orders that were open before', async () => {
    const { account, open, briefs } = await connected((one) => one.place());
    account.place();
    account.fill(2, 0.4);
    account.fill(2, 1);
    account.fill(1, 1);
    expect(briefs()).toEqual(['opened 2 OPEN', 'updated 2 PARTIALLY_FILLED', 'ended 2 FILLED', 'ended 1 FILLED']);
    expect(openOf(open)).toBe('live ');
  });

  it('is stale while the connection is down, and reads the missed changes', async () => {
    const { account, open, briefs } = await connected();
    for (const _ of [1, 2, 3]) account.place();
    account.cut();
    expect(openOf(open)).toBe('stale 1 2 3');
    account.fill(1, 1);
    account.fill(2, 0.5);
    account.place();
    account.place();
    account.cancel(5);
    await seconds(5);
    account.connect();
    await seconds(0.3);
    expect(openOf(open)).toBe('live 2 3 4');
    expect(briefs().slice(3).toSorted()).toEqual([
      'ended 1 FILLED',
      'ended 5 CANCELED',
      'gap reconnect unfilled',
      'opened 4 OPEN',
      'updated 2 PARTIALLY_FILLED',
    ]);
    expect(briefs()[3]).toBe('gap reconnect unfilled');
    await seconds(4);
    expect(briefs().slice(8)).toEqual(['gap reconnect filled']);
    expect(account.gaps).toHaveLength(2);
  });

  it('keeps an order that is in no list, and looks it up until the history shows its end', async () => {
    const { account, open, briefs } = await connected((one) => one.place());
    account.cut();
    account.fill(1, 1);
    account.hidden.add(1);
    account.connect();
    await seconds(1);
    expect(briefs()).toEqual(['gap reconnect unfilled']);
    expect(open.values.at(-1)).toMatchObject({ status: 'live', unknown: [1] });
    expect(openOf(open)).toBe('live 1');
    await seconds(30);
    account.hidden.clear();
    await seconds(60);
    expect(briefs()).toEqual(['gap reconnect unfilled', 'gap reconnect filled', 'ended 1 FILLED']);
    expect(open.values.at(-1)).toMatchObject({ status: 'live', unknown: [] });
  });

  it('a modification that is known after the end was reported is another order, and its follower gets it', async () => {
    const { account, briefs, open } = await connected((one) => one.place());
    const followed = watched(account.stream.follow(account.placed(1)));
    account.latencyMs = 500;
    account.cancel(1);
    await seconds(0.4);
    account.place({ client_order_id: 'a-1', price: '61000' });
    await seconds(3);
    expect(briefs()).toEqual(['ended 1 CANCELED', 'opened 2 OPEN']);
    expect(followed.values.map(brief)).toEqual(['modified 2 OPEN']);
    expect(openOf(open)).toBe('live 2');
  });

  it('a modification to an order whose end was reported is an end, and its follower gets both', async () => {
    const { account, briefs, open } = await connected((one) => one.place());
    const followed = watched(account.stream.follow(account.placed(1)));
    account.modify(1, 'lost');
    account.fill(2, 1);
    await seconds(1);
    account.push(1, 3, { mtime: account.now });
    await seconds(1);
    expect(briefs()).toEqual(['ended 2 FILLED', 'ended 1 CANCELED']);
    expect(followed.values.map(brief)).toEqual(['modified 2 FILLED', 'ended 2 FILLED']);
    expect(openOf(open)).toBe('live ');
  });

  it.each([0.1, 1.5])('several modifications %s s apart during an outage are one change each', async (apartS) => {
    const { account, items, open } = await connected((one) => one.place());
    const followed = collected(account.stream.follow(account.placed(1)), short);
    account.cut();
    let id = 1;
    for (let count = 0; count < 4; count += 1) {
      id = account.modify(id);
      await seconds(apartS);
    }
    account.connect();
    await seconds(5);
    const changes = ['modified 2', 'modified 3', 'modified 4', 'modified 5'];
    expect(items.values.map(short)).toEqual(['gap reconnect unfilled', ...changes, 'gap reconnect filled']);
    expect(followed).toEqual(changes);
    expect(openOf(open)).toBe('live 5');
  });
});

describe('the audit', () => {
  it('repairs a lost order and a lost end within 63 s, and reports them as a silent loss', async () => {
    const { account, open, briefs } = await connected((one) => one.place());
    account.fill(1, 1, 'lost');
    account.place({}, 'lost');
    await seconds(63);
    expect(briefs()).toEqual(['gap silent-loss filled', 'ended 1 FILLED', 'opened 2 OPEN']);
    expect(openOf(open)).toBe('live 2');
    expect(account.gaps.map(({ reason }) => reason)).toEqual(['silent-loss']);
  });

  it('that fails makes the open orders stale until one succeeds, and is no gap: an order may have been lost', async () => {
    const { account, open, briefs } = await connected((one) => one.place());
    account.failure = lost;
    await seconds(67);
    account.place();
    await seconds(1);
    expect(openOf(open)).toBe('stale 1 2');
    expect(briefs()).toEqual(['opened 2 OPEN']);
    account.failure = undefined;
    await seconds(60);
    expect(openOf(open)).toBe('live 1 2');
    expect(briefs()).toHaveLength(1);
  });

  it.each<[string, number, (account: AccountOfOrders) => Promise<void>]>([
    ['opened and ended since the last one', 150, () => Promise.resolve()],
    ['ended between the first list of open orders and the first one', 5, () => Promise.resolve()],
    [
      'the history shows only after the next one',
      59,
      async (account) => {
        account.hidden.add(1);
        await seconds(2);
        account.hidden.clear();
      },
    ],
  ])('finds an order without any push that %s, once', async (_, afterS, meanwhile) => {
    const { account, briefs } = await connected();
    await seconds(afterS);
    account.fill(account.place({}, 'lost'), 1, 'lost');
    await meanwhile(account);
    await seconds(63);
    expect(briefs()).toEqual(['gap silent-loss filled', 'ended 1 FILLED']);
    await seconds(130);
    expect(briefs()).toHaveLength(2);
  });

  it('reports no order that ended just before the subscription', async () => {
    const account = new AccountOfOrders();
    account.latencyMs = 200;
    account.cancel(account.place());
    const items = watched(account.stream.items$);
    account.connect();
    await seconds(200);
    expect(items.values).toEqual([]);
  });

  it('reads only the open orders while the time of the exchange is not known', async () => {
    const { account, briefs } = await connected((one) => (one.isTimeKnown = false));
    account.cancel(account.place({}, 'lost'), 'lost');
    await seconds(200);
    expect([account.historyReads, briefs()]).toEqual([[], []]);
  });

  it('finds nothing when nothing was lost, by two requests a minute', async () => {
    const { account, briefs } = await connected((one) => one.place());
    for (let minute = 0; minute < 10; minute += 1) {
      account.fill(account.place(), 1);
      await seconds(60);
    }
    // One of them is 2 s after the first list. Each is compared 2 s later, and followed by the next one after a minute.
    const audits = Array.from({ length: 10 }, () => ['open', 'history']);
    expect(account.requests).toEqual(['open', ...audits.flat()]);
    expect(briefs().filter((one) => one.startsWith('gap'))).toEqual([]);
  });

  it('an order that is placed, filled or ended while the list is read is no loss', async () => {
    const { account, briefs } = await connected((one) => [one.place(), one.place()]);
    account.latencyMs = 400;
    await seconds(63.8);
    account.fill(1, 0.5, 'lost');
    account.fill(2, 1, 'lost');
    const id = account.place({}, 'lost');
    await seconds(1.5);
    expect(account.requests.filter((request) => request === 'open')).toHaveLength(3);
    account.push(1, 2);
    account.push(2, 3);
    account.push(id, 1);
    await seconds(10);
    expect(briefs()).toEqual(['updated 1 PARTIALLY_FILLED', 'ended 2 FILLED', 'opened 3 OPEN']);
  });
});

describe('a followed order', () => {
  const kinds = ({ values, isComplete }: { readonly values: readonly OrderChange[]; readonly isComplete: boolean }) => [
    ...values.map(short),
    ...(isComplete ? ['complete'] : []),
  ];

  it.each([
    ['that ended before the response', 0, false, ['ended 1']],
    ['that ended long before a stream was live', 100, false, ['ended 1']],
    ['that was modified and filled before the response', 0, true, ['modified 2', 'ended 2']],
  ])('%s has its end, and changes nothing for others', async (_, ageS, isModified, changes) => {
    const account = new AccountOfOrders();
    const id = account.place();
    const placed = account.placed(id);
    const end = () => {
      account.fill(isModified ? account.modify(id) : id, 1);
    };
    if (ageS > 0) end();
    await seconds(ageS);
    const items = watched(account.stream.items$);
    account.connect();
    await seconds(5);
    if (ageS === 0) end();
    const before = [...items.values];
    const followed = watched(account.stream.follow(placed));
    await seconds(5);
    expect(kinds(followed)).toEqual([...changes, 'complete']);
    expect(items.values).toEqual(before);
  });

  it('whose end was reported 250 orders ago is looked up until the history has it', async () => {
    const { account } = await connected();
    const id = account.place();
    const placed = account.placed(id);
    account.fill(id, 1);
    for (let later = 0; later < 250; later += 1) account.fill(account.place(), 1);
    account.failure = lost;
    const followed = watched(account.stream.follow(placed));
    await seconds(5);
    account.failure = undefined;
    account.hidden.add(id);
    await seconds(30);
    account.hidden.clear();
    expect(kinds(followed)).toEqual([]);
    await seconds(60);
    expect(kinds(followed)).toEqual(['ended 1', 'complete']);
    account.failure = noPermission();
    const refused = watched(account.stream.follow(placed));
    await seconds(2);
    expect(refused.error).toBe(account.failure);
  });

  it('that was modified 250 orders ago is followed to the order that it has become', async () => {
    const { account, briefs } = await connected();
    const id = account.place();
    const placed = account.placed(id);
    await seconds(10);
    const second = account.modify(id);
    await seconds(10);
    const third = account.modify(second);
    for (let later = 0; later < 250; later += 1) account.fill(account.place(), 1);
    const before = briefs();
    const followed = watched(account.stream.follow(placed));
    await seconds(2);
    expect(kinds(followed)).toEqual(['modified 2', 'modified 3']);
    expect(briefs()).toEqual(before);
    account.fill(third, 1);
    const again = watched(account.stream.follow(placed));
    await seconds(2);
    for (let later = 0; later < 250; later += 1) account.fill(account.place(), 1);
    const late = watched(account.stream.follow(placed));
    await seconds(4);
    for (const one of [followed, again, late])
      expect(kinds(one)).toEqual(['modified 2', 'modified 3', 'ended 3', 'complete']);
  });

  it('is followed to an order that it was modified to, although this order was never pushed', async () => {
    const { account, open } = await connected();
    const id = account.place();
    const followed = watched(account.stream.follow(account.placed(id)));
    account.cancel(id);
    const next = account.place({ client_order_id: account.orders.get(id)?.['client_order_id'] }, 'lost');
    await seconds(1);
    expect(kinds(followed)).toEqual(['modified 2']);
    await seconds(66);
    expect(openOf(open)).toBe('live 2');
    account.fill(next, 1);
    await seconds(1);
    expect(kinds(followed)).toEqual(['modified 2', 'ended 2', 'complete']);
  });

  it('that opens no other stream is followed from the first list of open orders to its end', async () => {
    const account = new AccountOfOrders();
    const id = account.place({}, 'lost');
    const followed = watched(account.stream.follow(account.placed(id)));
    account.connect();
    await seconds(1);
    account.fill(id, 1);
    expect(kinds(followed)).toEqual(['ended 1', 'complete']);
  });

  it.each(['first', 'later'])('ends with the error of a key that may not read orders, at the %s list', async (when) => {
    const account = new AccountOfOrders();
    const placed = account.placed(account.place({}, 'lost'));
    const streams = [watched(account.stream.follow(placed)), watched(account.stream.items$)];
    if (when === 'later') {
      account.connect();
      await seconds(1);
      account.cut();
    }
    account.failure = noPermission();
    account.connect();
    await seconds(1);
    expect(streams.map(({ error }) => error)).toEqual([account.failure, account.failure]);
  });

  it('does not end with its cancel before it is read whether it was modified', async () => {
    const { account } = await connected();
    const id = account.place();
    const followed = watched(account.stream.follow(account.placed(id)));
    account.failure = lost;
    account.cancel(id);
    await seconds(10);
    expect(kinds(followed)).toEqual([]);
    // A program that waits for the end of its order, to stop, does not wait for the end of an outage.
    await seconds(15);
    expect(kinds(followed)).toEqual(['ended 1', 'complete']);
  });

  it('does not keep the audit from running, however often orders are placed and followed', async () => {
    const { account, briefs } = await connected((one) => one.place());
    account.fill(1, 1, 'lost');
    for (let second = 0; second < 70; second += 1) {
      const id = account.place({}, 'lost');
      account.stream.follow(account.placed(id)).subscribe();
      await seconds(0.3);
      account.push(id, 1);
      await seconds(0.7);
    }
    expect(briefs()).toContain('gap silent-loss filled');
    expect(briefs()).toContain('ended 1 FILLED');
    expect(account.requests.filter((request) => request === 'open').length).toBeLessThan(5);
  });
});
