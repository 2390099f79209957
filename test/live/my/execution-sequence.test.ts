// Executions put together from pushes and the history: each once, whatever is lost, late, reordered or sent twice.
import { describe, expect, it } from 'vitest';
import { ExecutionSequence } from '../../../src/live/my/execution-sequence.js';
import type { Execution, LiveExecutionItem } from '../../../src/model/deal.js';

const execution = (id: number, time = 1000 + id, more: Partial<Execution> = {}): Execution => ({
  ...{ id, order_id: 7, client_order_id: '', market: 'BTC_USDT', time },
  ...{ side: 'buy', role: 1, price: '100', amount: '1', deal: '100', fee: '0', ...more },
});
const history = (...executions: readonly Execution[]) => ({ executions, unreadable: 0 });
const write = (items: readonly LiveExecutionItem[]) =>
  items.map((item) =>
    item.kind === 'execution'
      ? `${item.execution.id}${item.late ? ' late' : ''}`
      : `${item.reason} ${item.filled ? 'filled' : 'not filled'}`,
  );
/** A subscriber since 1000 that waits for nothing. */
function settled() {
  const sequence = new ExecutionSequence(1000, 1000);
  sequence.bridge(history(), 'first', 1000);
  return sequence;
}
const cursorOf = (items: readonly LiveExecutionItem[]) =>
  items.flatMap((item) => (item.kind === 'gap' ? [] : item.cursor));

describe('a sequence of executions', () => {
  it('reports missing executions, and their end when the history has listed the late ones', () => {
    const sequence = settled();
    sequence.push(execution(1));
    expect(sequence.interrupt('reconnect', 1001)).toEqual([]);
    sequence.push(execution(4));
    const items = sequence.bridge(history(execution(1), execution(2)), 'first', 1004);
    expect(write(items)).toEqual(['reconnect not filled', '2', '4']);
    expect(items[0]).toMatchObject({ channel: 'deals', from: 1001, to: 1004 });
    const late = sequence.bridge(history(execution(2), execution(3)), 'late', 1006);
    expect(write(late)).toEqual(['reconnect filled', '3 late']);
    expect(late[0]).toMatchObject({ from: 1001, to: 1006 });
    expect(sequence.bridge(history(), 'audit', 1066)).toEqual([]);
  });

  it('bounds a silent loss by the times of what was lost, whatever the clock of this machine says', () => {
    const items = settled().bridge(history(execution(2), execution(3)), 'audit', 9000);
    expect(write(items)).toEqual(['silent-loss filled', '2 late', '3 late']);
    expect(items[0]).toMatchObject({ from: 1002, to: 1003 });
  });

  it('has one gap for several interruptions, from the first one on, and another one for those after it', () => {
    const sequence = settled();
    sequence.push(execution(1));
    for (const reason of ['reconnect', 'unreadable'] as const) sequence.interrupt(reason, 1002);
    const gap = { reason: 'reconnect', from: 1001, filled: false };
    expect(sequence.bridge(history(), 'first', 1003)).toMatchObject([gap]);
    sequence.interrupt('unreadable', 1004);
    expect(sequence.bridge(history(), 'first', 1005)).toMatchObject([{ ...gap, reason: 'unreadable' }]);
    expect(sequence.bridge(history(), 'late', 1007)).toMatchObject([{ ...gap, reason: 'unreadable', filled: true }]);
  });

  it('holds pushes back after an extra read, until the history is read from the beginning', () => {
    const sequence = settled();
    sequence.interrupt('reconnect', 1001);
    expect(write(sequence.bridge(history(execution(2)), 'extra', 1002))).toEqual(['reconnect not filled', '2']);
    expect(sequence.push(execution(4))).toEqual([]);
    expect(write(sequence.bridge(history(execution(2), execution(3)), 'first', 1005))).toEqual([
      ...['reconnect not filled', '3', '4'],
    ]);
  });

  it('says that the executions since a time may be missing when they cannot be read', () => {
    const sequence = new ExecutionSequence(1000, 1010);
    sequence.push(execution(9));
    const items = sequence.fail(1010);
    expect(write(items)).toEqual(['unavailable not filled', '9']);
    expect(items[0]).toMatchObject({ from: 1000, to: 1010 });
    expect(write(sequence.bridge(history(execution(8), execution(9)), 'first', 1011))).toEqual(['8 late']);
    expect(write(sequence.bridge(history(), 'late', 1013))).toEqual(['unavailable filled']);
  });

  it('emits both executions of a trade between two orders of the account', () => {
    const sequence = settled();
    const both = [execution(1, 1001, { order_id: 7 }), execution(1, 1001, { order_id: 8, side: 'sell' })];
    expect(write(both.flatMap((one) => sequence.push(one)))).toEqual(['1', '1']);
    expect(both.flatMap((one) => sequence.push(one))).toEqual([]);
  });

  it('emits nothing of the history from before the first confirmation, but all that is pushed', () => {
    const sequence = new ExecutionSequence(undefined, 5000);
    sequence.beginAt(1005);
    sequence.push(execution(4));
    const items = sequence.bridge(history(execution(3), execution(5), execution(6)), 'first', 1006);
    expect(write(items)).toEqual(['4', '5', '6']);
  });

  it('emits executions at the very time of since, and none before it', () => {
    const sequence = new ExecutionSequence(1005, 1006);
    sequence.push(execution(4));
    expect(write(sequence.bridge(history(execution(3), execution(5)), 'first', 1006))).toEqual(['5']);
  });

  it('reports an unreadable record of the history once, and again in each outage: it may be another one', () => {
    const sequence = settled();
    const page = { executions: [], unreadable: 1 };
    expect(write(sequence.bridge(page, 'audit', 1001))).toEqual(['unreadable not filled']);
    expect(sequence.bridge(page, 'audit', 1002)).toEqual([]);
    sequence.interrupt('reconnect', 2010);
    expect(write(sequence.bridge(page, 'first', 2011))).toEqual(['reconnect not filled', 'unreadable not filled']);
  });

  it('keeps the outage open in which an unreadable record was found', () => {
    const sequence = settled();
    const page = { executions: [], unreadable: 1 };
    expect(sequence.interrupt('unreadable', 1010)).toEqual([]);
    expect(write(sequence.bridge(page, 'first', 1011))).toEqual(['unreadable not filled', 'unreadable not filled']);
    expect(sequence.bridge(page, 'late', 1013)).toEqual([]);
  });

  it('knows executions for as long as the history may list them, however many there are', () => {
    const sequence = settled();
    const all = Array.from({ length: 20_000 }, (_, index) => execution(index, 1000 + index / 1000));
    for (const one of all) sequence.push(one);
    expect(sequence.bridge(history(...all), 'first', 1020)).toEqual([]);
    expect(all.flatMap((one) => sequence.push(one))).toEqual([]);
  });

  it('emits a push that comes after newer executions were read as late, and once', () => {
    const sequence = settled();
    sequence.push(execution(1));
    sequence.bridge(history(execution(1), execution(200)), 'audit', 1200);
    expect(sequence.readFrom).toBe(1140);
    expect(write(sequence.push(execution(2)))).toEqual(['2 late']);
    expect([1, 2, 200].flatMap((id) => sequence.push(execution(id)))).toEqual([]);
    expect(sequence.bridge(history(execution(1), execution(2)), 'audit', 1201)).toEqual([]);
  });

  it('forgets executions of more than ten minutes ago, emits none of them again, and has a gap where one is pushed', () => {
    const sequence = settled();
    const old = execution(1);
    sequence.push(old);
    sequence.bridge(history(execution(1), execution(1000)), 'audit', 3000);
    expect(sequence.readFrom).toBe(1940);
    const [cursor] = cursorOf(sequence.push(execution(1001)));
    expect(cursor?.emitted).toEqual(['1000/7', '1001/7']);
    const items = sequence.push(old);
    expect(write(items)).toEqual(['late not filled']);
    expect(items).toMatchObject([{ from: 1001, to: 1001 }]);
    expect(sequence.bridge(history(old), 'audit', 3001)).toEqual([]);
  });

  it('has no gap where an execution from before since is pushed', () => {
    const sequence = settled();
    sequence.bridge(history(execution(1000)), 'audit', 3000);
    expect(sequence.push(execution(2, 999))).toEqual([]);
  });

  it('loses nothing after a record with a time of the far future', () => {
    const sequence = settled();
    sequence.bridge(history(execution(1, 9e9)), 'audit', 1100);
    expect(write(sequence.push(execution(120)))).toEqual(['120 late']);
  });
});

describe('the cursor of an execution', () => {
  it('names the executions that the subscriber has had, also when it is read later', () => {
    const sequence = settled();
    const items = [2, 1, 3].flatMap((id) => sequence.push(execution(id)));
    sequence.bridge(history(execution(900)), 'audit', 2000);
    expect(cursorOf(items)).toEqual([
      { from: 1000, emitted: ['2/7'] },
      { from: 1000, emitted: ['2/7', '1/7'] },
      { from: 1000, emitted: ['2/7', '1/7', '3/7'] },
    ]);
  });

  it('forgets the executions of the last process when the history has listed them', () => {
    const next = new ExecutionSequence({ from: 1000, emitted: ['1/7', '2/7'] }, 2000);
    next.bridge(history(execution(1), execution(2), execution(900)), 'first', 2000);
    expect(cursorOf(next.push(execution(901)))).toEqual([{ from: 1840, emitted: ['900/7', '901/7'] }]);
  });
});
