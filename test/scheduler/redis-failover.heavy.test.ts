// Limits shared over Redis while another server takes over: real servers, real replication, short windows. What is
// asserted are counts and states.
import { createScheduler, type RateLimit } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { filter } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { startRelay } from '../support/relay.js';
import type { SharingEvent } from '../../src/scheduler/index.js';

const rateLimit: RateLimit = { name: 'test', limit: 200, windowMs: 1000 };
const lateArrivalMs = 1000;
const patientMs = 5000;
/** Longer than the life of a lease: by its uptime alone, such a server would seem to know every grant. */
const longUptimeMs = 2500;
/** A replica gets its copy at once, and keeps it in memory. */
const replicating = ['--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'swapdb'];

/** A process that sends without pause. */
interface Member {
  readonly states: readonly SharingEvent['state'][];
  readonly reasons: readonly string[];
  /** Resolves when it has reached this state this many times. */
  readonly becomes: (state: SharingEvent['state'], times?: number) => Promise<void>;
}

/** A primary, a replica of it, and a relay to the primary. */
async function setup({ onTestFinished }: TestContext) {
  const [first, second] = await Promise.all([startRedis(replicating), startRedis(replicating)]);
  const relay = await startRelay(first.port);
  const sent: number[] = [];
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    await relay.close();
    await Promise.all([first.stop(), second.stop()]);
  });
  await replicate(second, first);

  function member(port = relay.port, lateMs = lateArrivalMs): Member {
    const scheduler = createScheduler({
      lateArrivalMs: lateMs,
      redis: shareOverRedis({ url: `redis://127.0.0.1:${port}` }),
    });
    const states: SharingEvent['state'][] = [];
    const reasons: string[] = [];
    scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe(({ state, reason }) => {
      states.push(state);
      reasons.push(reason);
    });
    const next = () => {
      if (isOver) return;
      scheduler.acquire(rateLimit).subscribe((permit) => {
        sent.push(performance.now());
        setTimeout(() => {
          permit.release('responded');
          next();
        }, 20);
      });
    };
    for (let loop = 0; loop < 100; loop += 1) next();
    const becomes = async (state: SharingEvent['state'], times = 1) => {
      await until(() => states.filter((one) => one === state).length >= times);
    };
    return { states, reasons, becomes };
  }

  /** Two processes that have shared the limit for longer than a lease lives. */
  async function twoMembers(lateMs = lateArrivalMs): Promise<readonly Member[]> {
    const members = [member(relay.port, lateMs), member(relay.port, lateMs)];
    await allBecome(members, 'joined');
    await sleep(longUptimeMs + lateMs - lateArrivalMs);
    return members;
  }

  return { first, second, relay, sent, member, twoMembers };
}

async function allBecome(members: readonly Member[], state: SharingEvent['state'], times = 1): Promise<void> {
  await Promise.all(members.map((each) => each.becomes(state, times)));
}

/** Tests that run side by side cannot use `expect.poll`. */
function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await isSo())) throw new Error('not yet');
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** Makes one server the replica of another, and waits until it has what that one has. */
async function replicate(replica: RedisServer, primary: RedisServer): Promise<void> {
  await replica.command('REPLICAOF', '127.0.0.1', String(primary.port));
  await until(async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'));
}

function promote(replica: RedisServer): Promise<unknown> {
  return replica.command('REPLICAOF', 'NO', 'ONE');
}

describe.skipIf(!hasRedisServer)('limits that are shared over Redis', { concurrent: true, timeout: 60_000 }, () => {
  it('hold when a replica is promoted', async (context) => {
    const { first, second, relay, sent, twoMembers } = await setup(context);
    const members = await twoMembers();
    await promote(second);
    relay.switchTo(second.port);
    await first.stop();
    const before = sent.length;
    await allBecome(members, 'joined', 2);
    await until(() => sent.length > before + 200);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('hold when a process uses the promoted replica before the others have left the old primary', async (context) => {
    const { second, relay, sent, member, twoMembers } = await setup(context);
    // The other processes must reach the replica before the waiting process starts to send: a wait of 5.75 s leaves 4 s for
    // that.
    const members = await twoMembers(patientMs);
    await promote(second);
    const early = member(second.port, patientMs);
    await early.becomes('waiting');
    const before = sent.length;
    await sleep(1000);
    expect(sent.length).toBeGreaterThan(before);
    relay.switchTo(second.port);
    await Promise.all([early.becomes('joined'), allBecome(members, 'joined', 2)]);
    await sleep(2000);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('hold when the first server takes over again, without a restart', async (context) => {
    const { first, second, relay, sent, twoMembers } = await setup(context);
    const members = await twoMembers();
    await promote(second);
    relay.switchTo(second.port);
    await allBecome(members, 'joined', 2);
    await replicate(first, second);
    await sleep(1000);
    await promote(first);
    relay.switchTo(first.port);
    await allBecome(members, 'joined', 3);
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('hold when a server was a replica for a moment, and no process used the other one', async (context) => {
    const { first, second, sent, twoMembers } = await setup(context);
    const members = await twoMembers();
    await promote(second);
    await replicate(first, second);
    await allBecome(members, 'lost');
    await promote(first);
    await allBecome(members, 'joined', 2);
    await sleep(1500);
    for (const { states } of members) expect(states.slice(-2)).toEqual(['waiting', 'joined']);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('are shared by processes that read the server before and after it got its first replica', async (context) => {
    const { second, sent, member } = await setup(context);
    const primary = await startRedis(replicating);
    context.onTestFinished(() => primary.stop());
    const early = member(primary.port);
    await early.becomes('waiting');
    await replicate(second, primary);
    await allBecome([early, member(primary.port)], 'joined');
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('are not shared on a replica, and the event says so', async (context) => {
    const { second, sent, member } = await setup(context);
    const { becomes, reasons } = member(second.port);
    await becomes('lost');
    expect(reasons).toEqual(['the server is a replica: connect to its primary']);
    await promote(second);
    await becomes('joined');
    expect(sent.length).toBeLessThanOrEqual(200);
  });
});
