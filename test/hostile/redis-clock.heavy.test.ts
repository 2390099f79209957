// One process whose wall clock is set by hours while it shares limits: only the clock of Redis matters. Processes of their own, a real redis-server.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, lateArrivalMs, sharersFor, until } from './redis-tenant.js';

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
  return {
    open: sharersFor(context, { url: redis.url, name }),
    /** A process whose clock is set while it sends. */
    astray: (ms: number) => {
      const args = [
        '--import',
        'tsx',
        program,
        redis.url,
        name,
        String(rateLimit.limit),
        String(rateLimit.windowMs),
        String(lateArrivalMs),
        String(ms),
      ];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      context.onTestFinished(() => void child.kill('SIGKILL'));
      const printed: string[] = [];
      child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
      const lines = () => printed.join('').split('\n').slice(0, -1);
      return {
        /** When it sent, by `performance.now()` of this process. */
        sent: () =>
          lines()
            .filter((line) => /^\d/.test(line))
            .map((line) => Number(line) - performance.timeOrigin),
        reasons: () => lines().filter((line) => /^[a-z]/.test(line)),
      };
    },
  };
}

describe.skipIf(!hasRedisServer)(
  'a process whose clock is set by three hours',
  { concurrent: true, timeout: 60_000 },
  () => {
    it.for([stepMs, -stepMs])('changes nothing for any process: by %d ms', async (ms, context) => {
      const { open, astray } = setup(context);
      const honest = open();
      honest.saturate();
      await honest.becomes('joined');
      const other = astray(ms);
      await until(() => other.sent().length > 100);
      // The clock is set half a second after the first request.
      await sleep(2000);
      const [before, ofHonest] = [other.sent().length, honest.sent.length];
      await until(() => other.sent().length > before + 200 && honest.sent.length > ofHonest + 200);
      const sent = [...honest.sent, ...other.sent()];
      expect(largestWindow(sent, rateLimit.windowMs)).toBeLessThanOrEqual(rateLimit.limit);
      expect([...other.reasons(), ...honest.events.filter(({ state }) => state === 'lost')]).toEqual([]);
    });
  },
);
