// Facts of `depth`. A subscription without a change gets a snapshot every 10 s, so a longer silence proves its end.
import type { Frame, ProbeConnection } from './connection.js';
import { confirmed, fieldOf, refusalOf, unknown, type Fact } from './fact.js';

const pushOf =
  (market: string) =>
  ({ method, params }: Frame) =>
    method === 'depth_update' && params[2] === market;
const snapshotOf = (market: string) => (frame: Frame) => pushOf(market)(frame) && frame.params[0] === true;

function numberIn({ params: [, data] }: Frame, name: string): number | undefined {
  const value = fieldOf(data, name);
  return typeof value === 'number' ? value : undefined;
}

function levelsIn({ params: [, data] }: Frame): number {
  const sides = [fieldOf(data, 'asks'), fieldOf(data, 'bids')];
  return Math.max(...sides.map((side) => (Array.isArray(side) ? side.length : 0)));
}

const firstPush: Fact = {
  name: 'depth: the first push comes before or after the confirmation',
  option: 'unkindSeed',
  async find(connection, { busy, pushMs }) {
    const from = connection.count;
    const response = await confirmed(connection, 'depth_subscribe', busy, 5, '0', true);
    const push = await connection.next(pushOf(busy), from, pushMs);
    if (push === undefined) return unknown(`no push within ${pushMs} ms`);
    const ms = push.at - response.at;
    return { seen: push.index < response.index ? 'before' : 'after', because: `${ms.toFixed(0)} ms after it` };
  },
};

const otherLimit: Fact = {
  name: 'depth: the same market again, with another limit',
  async find(connection, { busy, pushMs }) {
    await confirmed(connection, 'depth_subscribe', busy, 1, '0', true);
    const from = connection.count;
    await confirmed(connection, 'depth_subscribe', busy, 10, '0', true);
    const snapshot = await connection.next((frame) => snapshotOf(busy)(frame) && levelsIn(frame) > 1, from, pushMs);
    if (snapshot === undefined) return { seen: 'no wider snapshot', because: `none within ${pushMs} ms` };
    await connection.next(() => false, connection.count, pushMs);
    const later = connection.all(pushOf(busy), snapshot.index + 1);
    return {
      seen: isOneChain(snapshot, later) ? 'one stream, of the new limit' : 'more than one stream',
      because: `a snapshot of ${levelsIn(snapshot)} levels, and ${later.length} messages after it`,
    };
  },
};

/** Whether each delta continues the message before it. */
function isOneChain(snapshot: Frame, later: readonly Frame[]): boolean {
  return later.every((frame, index) => {
    const before = later[index - 1] ?? snapshot;
    return frame.params[0] === true || numberIn(frame, 'past_update_id') === numberIn(before, 'update_id');
  });
}

const omittedMulti: Fact = {
  name: 'depth: without the fourth parameter, the other markets are',
  option: 'unkindSeed',
  async find(connection, { busy, second, depthMs }) {
    await confirmed(connection, 'depth_subscribe', busy, 5, '0', true);
    const response = await connection.request('depth_subscribe', second, 5, '0');
    const refusal = refusalOf(response);
    if (refusal !== undefined) return { seen: 'refused', because: refusal };
    const push = await connection.next(pushOf(busy), response.index, depthMs);
    return push === undefined
      ? { seen: 'replace', because: `${busy} is silent for ${depthMs} ms` }
      : { seen: 'add', because: `${busy} goes on` };
  },
};

const unsubscribeOne: Fact = {
  name: 'depth: depth_unsubscribe with one market ends',
  async find(connection, { busy, second, depthMs }) {
    await confirmed(connection, 'depth_subscribe', busy, 5, '0', true);
    await confirmed(connection, 'depth_subscribe', second, 5, '0', true);
    const response = await connection.request('depth_unsubscribe', busy);
    const refusal = refusalOf(response);
    if (refusal !== undefined) return { seen: 'refused', because: refusal };
    const push = await connection.next(pushOf(busy), response.index, depthMs);
    if (push !== undefined) return { seen: 'nothing', because: `${busy} goes on` };
    const others = connection.all(pushOf(second), response.index);
    return {
      seen: others.length > 0 ? 'that market' : 'all markets',
      because: `${others.length} messages of ${second}`,
    };
  },
};

export const depthFacts: readonly Fact[] = [firstPush, otherLimit, omittedMulti, unsubscribeOne];

const keepalive: Fact = {
  name: 'depth: a snapshot without a change comes after',
  async find(connection, { quiet, keepaliveMs }) {
    const response = await confirmed(connection, 'depth_subscribe', quiet, 1, '0', true);
    const until = performance.now() + keepaliveMs;
    const first = await connection.next(pushOf(quiet), 0, keepaliveMs);
    for (let last = first; last !== undefined;) {
      const next = await nextPush(connection, quiet, last, until);
      if (next?.params[0] === true) {
        const ids = [last, next].map((frame) => String(numberIn(frame, 'update_id')));
        return { seen: `${((next.at - last.at) / 1000).toFixed(1)} s`, because: `update_id ${ids.join(', then ')}` };
      }
      last = next;
    }
    return unknown(`${connection.all(pushOf(quiet), response.index).length} messages and none in ${keepaliveMs} ms`);
  },
};

function nextPush(connection: ProbeConnection, market: string, last: Frame, until: number): Promise<Frame | undefined> {
  return connection.next(pushOf(market), last.index + 1, Math.max(0, until - performance.now()));
}

export const keepaliveFacts: readonly Fact[] = [keepalive];
