// Requests that count against several rate limits which processes share over a real Redis.
import type { RateLimit } from 'exchange-rx';
import { Redis } from 'ioredis';
import { describe, it, type TestContext } from 'vitest';
import { forgetMsOf } from '../../src/scheduler/returns.js';
import { claims, sharersFor, until, untilAtRest, type Sharer } from '../hostile/redis-tenant.js';
import { largestWindow } from '../support/largest-window.js';
import { requestPermit } from '../support/permits.js';
import { hasRedisServer, startRedis } from '../support/redis.js';

const windowMs = 1000;
const narrow: RateLimit = { name: 'narrow', limit: 60, windowMs };
const wide: RateLimit = { name: 'wide', limit: 300, windowMs };
const other: RateLimit = { name: 'other', limit: 300, windowMs };

async function setup(context: TestContext) {
  const redis = await startRedis();
  const client = new Redis(redis.port, '127.0.0.1');
  client.on('error', () => undefined);
  context.onTestFinished(async () => {
    client.disconnect();
    await redis.stop();
  });
  return { client, open: sharersFor(context, { url: redis.url }) };
}

/** Sends this number of requests at a time until the test is over. Returns when each was sent. */
function saturate(context: TestContext, { scheduler }: Sharer, limits: readonly RateLimit[], loops: number): number[] {
  const sentAt: number[] = [];
  let isOver = false;
  context.onTestFinished(() => {
    isOver = true;
  });
  const next = () => {
    if (isOver) return;
    scheduler.acquire(limits).subscribe((permit) => {
      sentAt.push(performance.now());
      setTimeout(() => {
        permit.release('responded');
        next();
      }, 5);
    });
  };
  for (let loop = 0; loop < loops; loop += 1) next();
  return sentAt;
}

describe.skipIf(!hasRedisServer)('shared rate limits', { concurrent: true, shuffle: false, timeout: 60_000 }, () => {
  it('are all kept by requests of several limits, none of which starves', async (context) => {
    const { expect } = context;
    const { open } = await setup(context);
    const all = [open(), open()];
    const combined = all.map((each) => saturate(context, each, [narrow, wide], 40));
    const single = all.map((each) => saturate(context, each, [wide], 150));
    await until(() => [...combined, ...single].every((sentAt) => sentAt.length > 150));
    const ofNarrow = combined.flat();
    const ofWide = [...ofNarrow, ...single.flat()];
    expect(largestWindow(ofNarrow, forgetMsOf(windowMs))).toBeLessThanOrEqual(narrow.limit);
    expect(largestWindow(ofWide, forgetMsOf(windowMs))).toBeLessThanOrEqual(wide.limit);
    expect(largestWindow(ofWide, windowMs)).toBeGreaterThan(0.5 * wide.limit);
  });

  it('are joined by a process only when its requests need them, and rest alone', async (context) => {
    const { expect } = context;
    const { client, open } = await setup(context);
    const one = open();
    const unused = requestPermit(one.scheduler, other);
    const requested = requestPermit(one.scheduler, [narrow, wide]);
    await until(() => unused.permit !== undefined && requested.permit !== undefined);
    unused.permit?.release('unsent');
    expect(await claims(client)).toHaveLength(3);
    requested.permit?.release('responded');
    await untilAtRest(client, 3);
    const again = requestPermit(one.scheduler, [narrow, wide]);
    await until(() => again.permit !== undefined);
    expect((await claims(client)).filter(({ held }) => held === 0)).toMatchObject([{ rateLimit: 'other' }]);
    again.permit?.release('responded');
  });
});
