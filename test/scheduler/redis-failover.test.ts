// Limits shared over Redis while another server takes over: real servers, real replication, short windows. What is asserted are counts and states.
import { createScheduler, type LimitGroup, type Scheduler, type SharingEvent } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { filter } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { startRelay, type Relay } from '../support/relay.js';

const group: LimitGroup = { name: 'test', limit: 200, windowMs: 1000 };
const lateArrivalMs = 1000;
/** Longer than a lease lives: by its age alone, such a server would pass for one that knows every grant. */
const longUptimeMs = 2500;
/** A replica gets its copy at once, and keeps it in memory. */
const replicating = ['--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'swapdb'];

let servers: RedisServer[];
let relay: Relay;
let sent: number[];

beforeEach(async () => {
  servers = await Promise.all([startRedis(replicating), startRedis(replicating)]);
  relay = await startRelay(serverAt(0).port);
  sent = [];
  await replicate(1, 0);
});
afterEach(async () => {
  await relay.close();
  await Promise.all(servers.map((server) => server.stop()));
});

function serverAt(index: number): RedisServer {
  const server = servers[index];
  if (server === undefined) throw new Error('no such server');
  return server;
}

/** Makes one server the replica of the other, and waits until it has what that one has. */
async function replicate(replica: number, primary: number): Promise<void> {
  await serverAt(replica).command('REPLICAOF', '127.0.0.1', String(serverAt(primary).port));
  await expect.poll(() => serverAt(replica).command('INFO', 'replication'), { timeout: 15_000 }).toContain('master_link_status:up');
}

function promote(replica: number): Promise<unknown> {
  return serverAt(replica).command('REPLICAOF', 'NO', 'ONE');
}

interface Member {
  readonly states: SharingEvent['state'][];
  readonly reasons: string[];
  /** Resolves when it has come to this state so many times. */
  readonly becomes: (state: SharingEvent['state'], times?: number) => Promise<void>;
}

/** A process that sends without pause, until the test is over. */
function member(port = relay.port): Member {
  const scheduler = createScheduler({ lateArrivalMs, redis: shareOverRedis({ url: `redis://127.0.0.1:${port}` }) });
  const states: SharingEvent['state'][] = [];
  const reasons: string[] = [];
  scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe(({ state, reason }) => {
    states.push(state);
    reasons.push(reason);
  });
  saturate(scheduler);
  return {
    states,
    reasons,
    becomes: async (state, times = 1) => {
      await expect.poll(() => states.filter((one) => one === state).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(times);
    },
  };
}

function saturate(scheduler: Scheduler): void {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  const next = () => {
    if (over) return;
    scheduler.acquire(group).subscribe((permit) => {
      sent.push(performance.now());
      setTimeout(() => {
        permit.release('answered');
        next();
      }, 20);
    });
  };
  for (let loop = 0; loop < 100; loop += 1) next();
}

describe.skipIf(!hasRedisServer)('limits that are shared over Redis', () => {
  it('hold when a replica is promoted', async () => {
    const members = [member(), member()];
    await Promise.all([...members.map((each) => each.becomes('joined')), sleep(longUptimeMs)]);
    await promote(1);
    relay.switchTo(serverAt(1).port);
    await serverAt(0).stop();
    const before = sent.length;
    await Promise.all(members.map((each) => each.becomes('joined', 2)));
    await expect.poll(() => sent.length, { timeout: 10_000 }).toBeGreaterThan(before + 200);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  }, 60_000);

  it('hold when a process is on the promoted replica before the others have left the old primary', async () => {
    const members = [member(), member()];
    await Promise.all([...members.map((each) => each.becomes('joined')), sleep(longUptimeMs)]);
    await promote(1);
    const early = member(serverAt(1).port);
    await early.becomes('waiting');
    await sleep(1000);
    relay.switchTo(serverAt(1).port);
    await Promise.all([early.becomes('joined'), ...members.map((each) => each.becomes('joined', 2))]);
    await sleep(2000);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  }, 60_000);

  it('hold when the first server takes over again, without a restart', async () => {
    const members = [member(), member()];
    await Promise.all([...members.map((each) => each.becomes('joined')), sleep(longUptimeMs)]);
    await promote(1);
    relay.switchTo(serverAt(1).port);
    await Promise.all(members.map((each) => each.becomes('joined', 2)));
    await replicate(0, 1);
    await sleep(1000);
    await promote(0);
    relay.switchTo(serverAt(0).port);
    await Promise.all(members.map((each) => each.becomes('joined', 3)));
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  }, 60_000);

  it('hold when a server was a replica for a moment, and nobody used the other one', async () => {
    const members = [member(), member()];
    await Promise.all([...members.map((each) => each.becomes('joined')), sleep(longUptimeMs)]);
    await promote(1);
    await replicate(0, 1);
    await Promise.all(members.map((each) => each.becomes('lost')));
    await promote(0);
    await Promise.all(members.map((each) => each.becomes('joined', 2)));
    await sleep(1500);
    for (const { states } of members) expect(states.slice(-2)).toEqual(['waiting', 'joined']);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  }, 60_000);

  it('are not shared on a replica, which says so', async () => {
    const { becomes, reasons } = member(serverAt(1).port);
    await becomes('lost');
    expect(reasons).toEqual(['the server is a replica: connect to its primary']);
    await promote(1);
    await becomes('joined');
    expect(sent.length).toBeLessThanOrEqual(200);
  });
});
