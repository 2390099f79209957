// Limits shared over Redis while another server takes over: real servers, real replication, short windows.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, type RedisServer } from '../support/redis.js';
import { startRelay } from '../support/relay.js';
import {
  lateArrivalMs,
  lifeMs,
  limit,
  ownRedis,
  sharersFor,
  until,
  windowMs,
  type Sharer,
} from '../support/sharing.js';

/** A replica gets its copy at once, and keeps it in memory. */
const replicating = ['--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'swapdb'];

/** A primary, a replica of it, and a relay to the primary. */
async function setup(context: TestContext) {
  const [first, second] = await Promise.all([ownRedis(context, replicating), ownRedis(context, replicating)]);
  const relay = await startRelay(first.port);
  context.onTestFinished(() => relay.close());
  await replicate(second, first);
  const open = sharersFor(context, { url: `redis://127.0.0.1:${relay.port}` });
  const all: Sharer[] = [];
  const start = (port = relay.port, lateMs = lateArrivalMs) => {
    const one = open({ url: `redis://127.0.0.1:${port}` }, { lateArrivalMs: lateMs });
    one.saturate();
    all.push(one);
    return one;
  };
  /** Two processes that have shared the limit for longer than a lease lives. */
  const two = async (lateMs = lateArrivalMs) => {
    const both = [start(relay.port, lateMs), start(relay.port, lateMs)];
    await allBecome(both, 'joined');
    // By its uptime alone, such a server would seem to know every grant.
    await sleep(lifeMs + lateMs);
    return both;
  };
  const expectWithinLimit = () => {
    const sent = all.flatMap((one) => one.sent);
    expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(limit);
  };
  return { first, second, relay, start, two, expectWithinLimit };
}

async function allBecome(all: readonly Sharer[], ...state: Parameters<Sharer['becomes']>): Promise<void> {
  await Promise.all(all.map(({ becomes }) => becomes(...state)));
}

/** Makes one server the replica of another, and waits until it has what that one has. */
async function replicate(replica: RedisServer, primary: RedisServer): Promise<void> {
  await replica.command('REPLICAOF', '127.0.0.1', String(primary.port));
  await until(async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'));
}

const promote = (replica: RedisServer) => replica.command('REPLICAOF', 'NO', 'ONE');

describe.skipIf(!hasRedisServer)('limits that are shared over Redis', { concurrent: true, timeout: 60_000 }, () => {
  it('hold when a replica is promoted, and when the first server takes over again without a restart', async (context) => {
    const { first, second, relay, two, expectWithinLimit } = await setup(context);
    const both = await two();
    await promote(second);
    relay.switchTo(second.port);
    await allBecome(both, 'joined', 2);
    await Promise.all(both.map(({ sends }) => sends(100)));
    await replicate(first, second);
    await promote(first);
    relay.switchTo(first.port);
    await allBecome(both, 'joined', 3);
    await sleep(1000);
    expectWithinLimit();
  });

  it('hold when a process uses the promoted replica before the others have left the old primary', async (context) => {
    // The other processes must reach the replica before the waiting process starts to send: its wait leaves them seconds.
    const patientMs = 5000;
    const { second, relay, start, two, expectWithinLimit } = await setup(context);
    const both = await two(patientMs);
    await promote(second);
    const early = start(second.port, patientMs);
    await early.becomes('waiting');
    await Promise.all(both.map(({ sends }) => sends(50)));
    relay.switchTo(second.port);
    await Promise.all([early.becomes('joined'), allBecome(both, 'joined', 2)]);
    await sleep(1000);
    expectWithinLimit();
  });

  it('hold when a server was a replica for a moment, and no process used the other one', async (context) => {
    const { first, second, two, expectWithinLimit } = await setup(context);
    const both = await two();
    await promote(second);
    await replicate(first, second);
    await allBecome(both, 'lost');
    await promote(first);
    await allBecome(both, 'joined', 2);
    await sleep(1000);
    for (const { states } of both) expect(states().slice(-2)).toEqual(['waiting', 'joined']);
    expectWithinLimit();
  });

  it('are shared by processes that read the server before and after it got its first replica', async (context) => {
    const { second, start, expectWithinLimit } = await setup(context);
    const primary = await ownRedis(context, replicating);
    const early = start(primary.port);
    await early.becomes('waiting');
    await replicate(second, primary);
    await allBecome([early, start(primary.port)], 'joined');
    await sleep(1000);
    expectWithinLimit();
  });

  it('are not shared on a replica, and the event says so', async (context) => {
    const { second, start } = await setup(context);
    const { becomes, events, sent } = start(second.port);
    await becomes('lost');
    expect(events.map(({ reason }) => reason)).toEqual(['the server is a replica: connect to its primary']);
    expect(sent).toEqual([]);
    await promote(second);
    await becomes('joined');
  });
});
