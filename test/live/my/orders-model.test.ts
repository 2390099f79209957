// Orders against everything that interrupts them: no end is missed, none comes twice, and the open orders are true.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LiveOrder } from '../../../src/model/live-order.js';
import { isOpen } from '../../../src/model/order.js';
import type { LiveOrderItem } from '../../../src/live/my/order-run.js';
import { onFakeTime, seconds } from '../setup.js';
import { AccountOfOrders, lost, type Delivery } from './account-of-orders.js';

const delivery = fc.constantFrom<Delivery>('pushed', 'pushed', 'pushed', 'lost');
const which = fc.nat(5);
const ms = fc.constantFrom(0, 20, 400, 2500, 61_000);
const step$ = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('place' as const), delivery }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('fill', 'end', 'cancel', 'modify'), which, delivery }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('duplicate' as const), which }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut', 'connect', 'down', 'up') }) },
);

onFakeTime();

it('under faults, no order ends unnoticed, no end comes twice, and the open orders are those of the exchange', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step$, { maxLength: 40 }), fc.constantFrom(0, 300), async (steps, latencyMs) => {
      const account = new AccountOfOrders();
      account.latencyMs = latencyMs;
      account.place();
      const items: LiveOrderItem[] = [];
      const maps: { readonly status: string; readonly orders: readonly LiveOrder[] }[] = [];
      const subscription = account.stream.items$.subscribe((item) => items.push(item));
      subscription.add(account.stream.open$.subscribe((state) => maps.push(state)));
      account.connect();
      const connectedAt = Date.now();
      /** Orders that may have ended before the subscription, or before the first open orders were read. */
      let before = account.orders.size;
      for (const step of steps) {
        if (maps.length === 0 || Date.now() - connectedAt < 3000) before = account.orders.size;
        const open = account.openIds;
        const id = 'which' in step ? open[step.which % Math.max(1, open.length)] : undefined;
        if (step.do === 'place') account.place({}, step.delivery);
        else if (step.do === 'wait') await seconds(step.ms / 1000);
        else if (step.do === 'cut') account.cut();
        else if (step.do === 'connect') account.connect();
        else if (step.do === 'down') account.failure = lost;
        else if (step.do === 'up') account.failure = undefined;
        else if (id === undefined) continue;
        else if (step.do === 'duplicate') account.push(id, 2);
        else if (!('delivery' in step)) continue;
        else if (step.do === 'fill') account.fill(id, 0.5, step.delivery);
        else if (step.do === 'end') account.fill(id, 1, step.delivery);
        else if (step.do === 'cancel') account.cancel(id, step.delivery);
        else account.modify(id, step.delivery);
      }
      account.failure = undefined;
      account.connect();
      await seconds(200);
      subscription.unsubscribe();

      const changes = items.filter((item) => item.kind !== 'gap' && item.kind !== 'oto');
      const endedIds = changes.filter(({ kind }) => kind === 'ended').map(({ order }) => order.order_id);
      expect(endedIds).toHaveLength(new Set(endedIds).size);
      for (const [index, { kind, order }] of changes.entries()) {
        if (kind !== 'ended') continue;
        const later = changes.slice(index + 1).filter((one) => one.kind === 'modified');
        expect(later.flatMap((one) => [one.order.order_id, one.before.order_id])).not.toContain(order.order_id);
      }
      const ends = [...endedIds, ...changes.flatMap((one) => (one.kind === 'modified' ? [one.before.order_id] : []))];
      expect((maps.at(-1)?.orders ?? []).map(({ order_id }) => order_id).toSorted()).toEqual(
        [...account.openIds].toSorted(),
      );
      // An order that was placed later, or was open for a subscriber, as it was listed or reported, has ended for it, too.
      const known = new Set([
        ...[...account.orders.keys()].filter((id) => id > before),
        ...maps.flatMap(({ orders }) => orders.map(({ order_id }) => order_id)),
        ...changes.map(({ order }) => order.order_id),
      ]);
      const ended = [...known].filter((id) => account.orders.get(id)?.isOpen === false);
      expect(ended.filter((id) => !ends.includes(id))).toEqual([]);
      expect(ends.filter((id) => account.orders.get(id)?.isOpen !== false)).toEqual([]);
      for (const { kind, order } of changes) if (kind !== 'modified') expect(isOpen(order)).toBe(kind !== 'ended');
      const states = changes.flatMap((one) => (one.kind === 'modified' ? [one.order, one.before] : [one.order]));
      for (const id of ended) {
        const state = states.findLast(({ order_id }) => order_id === id);
        expect(state?.status).toBe(account.orders.get(id)?.['status']);
        expect(state?.deal_stock).toBe(account.orders.get(id)?.['deal_stock']);
      }
    }),
    { numRuns: 60 },
  );
});
