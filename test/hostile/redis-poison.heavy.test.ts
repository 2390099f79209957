// A key of shared limits that holds what no process wrote: the process says so, tries again without a storm, and goes on
// alone where it may.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, type RedisServer } from '../support/redis.js';
import { limit, ownRedis, rateLimit, sharedRedis, until, windowMs } from '../support/sharing.js';

const share = sharedRedis();
const killClients = ['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'] as const;

async function setup(context: TestContext, shareWhenDown = 0, server?: RedisServer) {
  const { tenant, open } = share(context, server);
  const one = open({ shareWhenDown });
  one.saturate(rateLimit, 20);
  await one.becomes('joined');
  /** Replaces the key by one of another type. */
  const poison = () => tenant.redis.multi().del(tenant.key).set(tenant.key, 'poison').exec();
  const { events } = one;
  return {
    ...one,
    tenant,
    poison,
    /** Resolves when a reason matches: on a loaded machine, Redis may seem not to respond before. */
    leavesWith: (reason: RegExp) => until(() => events.some((event) => reason.test(event.reason))),
    joinsAgain: async () => {
      await tenant.redis.del(tenant.key);
      await one.becomes('joined', 2);
    },
  };
}

describe.skipIf(!hasRedisServer)('an invalid key of shared limits', { concurrent: true, timeout: 60_000 }, () => {
  it('of the wrong type makes a process leave, report why, and join again when the key is deleted', async (context) => {
    const { poison, leavesWith, joinsAgain, sends } = await setup(context);
    await poison();
    await leavesWith(/^the Redis key "name-\d+:limits" holds data that this package did not write: delete the key$/);
    await joinsAgain();
    await sends(1);
  });

  it('with too many fields makes a process leave, and join again when the key is deleted', async (context) => {
    const { tenant, leavesWith, joinsAgain } = await setup(context);
    const fields = Array.from({ length: 1100 }, (_, index) => [`field-${index}`, 'x'] as const);
    await tenant.redis.hset(tenant.key, Object.fromEntries(fields));
    await leavesWith(/delete the key/);
    await joinsAgain();
  });

  it('is not needed again when it was deleted: the process waits until all permits have returned', async (context) => {
    const { leavesWith, joinsAgain } = await setup(context);
    const again = joinsAgain();
    await leavesWith(/^Redis was flushed or promoted/);
    await again;
  });

  it('is reported once with its name after Redis was lost, and causes few attempts to join', async (context) => {
    const { tenant, joinsAgain, events } = await setup(context, 0, await ownRedis(context));
    const reports = () => events.filter(({ reason }) => reason.includes('delete the key')).length;
    await tenant.redis
      .multi()
      .set(tenant.key, 'poison')
      .call(...killClients)
      .exec();
    await until(() => reports() > 0);
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await tenant.redis.info('stats'))?.[1]);
    const before = await connections();
    await sleep(3000);
    context.expect(reports()).toBe(1);
    // One a second.
    context.expect((await connections()) - before).toBeLessThanOrEqual(4);
    await joinsAgain();
  });

  it('is reported with its name while the process uses its share', async (context) => {
    const { tenant, becomes, events } = await setup(context, 0.25, await ownRedis(context));
    await tenant.redis
      .multi()
      .call('CONFIG', 'SET', 'requirepass', 'x')
      .call(...killClients)
      .exec();
    await becomes('alone');
    await tenant.redis.multi().set(tenant.key, 'poison').call('CONFIG', 'SET', 'requirepass', '').exec();
    await until(() => events.at(-1)?.reason.includes('delete the key') === true);
    context.expect(events.at(-1)?.state).toBe('alone');
  });

  it('lets a process use its share until the key is deleted', async (context) => {
    const { poison, becomes, joinsAgain, sends, sent } = await setup(context, 0.25);
    await poison();
    await becomes('alone');
    const aloneAt = performance.now();
    await sends(limit);
    const alone = sent.filter((time) => time >= aloneAt);
    context.expect(largestWindow(alone, windowMs)).toBeLessThanOrEqual(limit / 4);
    await joinsAgain();
    await sleep(500);
    context.expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(limit);
  });
});
