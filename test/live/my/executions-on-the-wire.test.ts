// An execution is the same record, whether it was pushed or read from the history; and its stream begins again.
import type { LiveExecutionItem } from 'exchange-rx';
import { retry } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deals } from '../../../src/live/channels/account.js';
import { dealSchema, executionOf } from '../../../src/model/deal.js';
import { ms, onFakeTime } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';

const pushed = [14000000001, 1795316402.34, 'BTC_USDT', 1300000000001, '60000', '0.2625', '15.75', 'a-1', 2, 2, 'USDT'];
const listed = {
  ...{ id: 14000000001, time: 1795316402.34, side: 'buy', role: 2, amount: '0.2625', price: '60000' },
  ...{ deal: '15750', fee: '15.75', orderId: 1300000000001, clientOrderId: 'a-1', feeAsset: 'USDT' },
};
const itemOf = (params: unknown) => deals.read(params)?.[0];
const read = (params: unknown) => {
  const one = itemOf(params);
  return one !== undefined && 'item' in one ? one.item : undefined;
};
const ofHistory = (record: object) => executionOf('BTC_USDT', v.parse(dealSchema, record));

describe('an execution', () => {
  it('is the same record in a push and in the history', () => {
    expect(ofHistory(listed)).toEqual(read(pushed));
    expect(ofHistory({ ...listed, price: '60000.0', amount: '0.26250', fee: '15.750', rpi: false })).toEqual(
      read(pushed),
    );
    const own = { ...listed, side: 'sell', clientOrderId: '', fee: '-0.1' };
    expect(ofHistory(own)).toEqual(read([...pushed.slice(0, 6), '-0.10', '', 1, 2, 'USDT']));
  });

  it('is read with side, role and numbers as strings', () => {
    const strings = pushed.map((value) => String(value));
    expect(read(strings)).toEqual(read(pushed));
    const asText = { ...listed, id: '14000000001', time: '1795316402.34', role: '2', orderId: '1300000000001' };
    expect(ofHistory(asText)).toEqual(read(pushed));
  });

  it.each([
    [1, 'sell'],
    ['sell', 'sell'],
    [3, '3'],
    ['constructor', 'constructor'],
    [null, undefined],
  ])('with the side %j has %j', (side, expected) => {
    expect(read([...pushed.slice(0, 8), side, 2, 'USDT'])?.side).toBe(expected);
  });

  it('is unreadable without the number of its order', () => {
    expect(executionOf('BTC_USDT', v.parse(dealSchema, { ...listed, orderId: null }))).toBeUndefined();
  });
});

describe('a subscriber of executions that the exchange refused', () => {
  onFakeTime();

  it.each(['inside of its error', 'by retry(), beside another'])(
    'is followed again when it subscribes %s',
    async (how) => {
      const { account, server, exchange } = accountSetup();
      account.rest = () => json(200, {});
      account.refuse('deals_subscribe', 1, 'invalid argument', 1);
      const ids: number[] = [];
      const next = (one: LiveExecutionItem) => {
        if (one.kind === 'execution') ids.push(one.execution.id);
      };
      const executions = () => exchange.live.my.executions();
      if (how === 'inside of its error') executions().subscribe({ error: () => executions().subscribe(next) });
      else for (let one = 0; one < 2; one += 1) executions().pipe(retry(3)).subscribe(next);
      await ms(20_000);
      expect([server.open, account.subscribed]).toEqual([1, ['deals_subscribe [[]]']]);
      for (const connection of account.authorized.keys()) connection.push('deals_update', pushed);
      await ms(1000);
      expect(new Set(ids)).toEqual(new Set([14000000001]));
      expect(ids).toHaveLength(how === 'inside of its error' ? 1 : 2);
    },
  );
});
