// One process whose wall clock is set forward by hours while it shares limits: what it wrote to Redis until it noticed
// keeps no other process from sending. Processes of their own, a real redis-server.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, lateArrivalMs, sharersFor, Tenant, until } from './redis-tenant.js';

const program = fileURLToPath(new URL('redis-replica.ts', import.meta.url));
const stepMs = 3 * 3_600_000;

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function setup(context: TestContext) {
  names += 1;
  const name = `name-${names}`;
  const tenant = new Tenant(redis.port, name);
  context.onTestFinished(() => {
    tenant.leave();
  });
  return {
    tenant,
    open: sharersFor(context, { url: redis.url, name }),
    /** A process whose clock is set forward while it sends. */
    astray: () => {
      const args = [
        '--import',
        'tsx',
        program,
        redis.url,
        name,
        String(rateLimit.limit),
        String(rateLimit.windowMs),
        String(lateArrivalMs),
        String(stepMs),
      ];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      context.onTestFinished(() => void child.kill('SIGKILL'));
      const printed: string[] = [];
      child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
      return {
        reasons: () =>
          printed
            .join('')
            .split('\n')
            .filter((line) => /^[a-z]/.test(line)),
      };
    },
  };
}

describe.skipIf(!hasRedisServer)(
  'a process whose clock is set forward by three hours',
  { concurrent: true, timeout: 60_000 },
  () => {
    it('is refused and reports why, and the others have the whole limit again within seconds', async (context) => {
      const { tenant, open, astray } = setup(context);
      const honest = open();
      honest.saturate();
      await honest.becomes('joined');
      const { reasons } = astray();
      await until(() => reasons().includes('the clock of this process was set'));
      await until(() =>
        reasons().some((reason) => reason.startsWith('the clocks of this machine and of Redis differ by ')),
      );
      const from = performance.now();
      // All permits of the limit are granted to it: none is out for three hours.
      await until(
        () =>
          largestWindow(
            honest.sent.filter((time) => time > from),
            rateLimit.windowMs,
          ) >
          0.9 * rateLimit.limit,
      );
      expect(Number(await tenant.redis.hget(await tenant.key(':all_settings'), 'nextRequest'))).toBeLessThan(
        Date.now() + 1000,
      );
      for (const { reason } of honest.events) expect(reason).not.toContain('delete the keys');
      expect(
        reasons().filter((reason) => reason.startsWith('the clocks of this machine and of Redis differ by ')).length,
      ).toBeLessThanOrEqual(2);
    });

    it('leaves no permits in use for hours after its announcement has expired', async (context) => {
      const { tenant, open } = setup(context);
      const small = open();
      small.saturate({ ...rateLimit, limit: 60 });
      await until(() => small.sent.length > 0);
      const [settings, weights, expirations] = await Promise.all(
        [':all_settings', ':all_job_weights', ':all_job_expirations'].map((end) => tenant.key(end)),
      );
      await tenant.redis
        .multi()
        .hset(String(weights), 'left', '190')
        .zadd(String(expirations), Date.now() + stepMs, 'left')
        .hincrby(String(settings), 'running', 190)
        .exec();
      await sleep(1000);
      const before = small.sent.length;
      await until(() => small.sent.length > before + 120);
      expect(small.events.map(({ reason }) => reason).join()).not.toContain('delete the keys');
      expect(largestWindow(small.sent, rateLimit.windowMs)).toBeLessThanOrEqual(60);
    });
  },
);
