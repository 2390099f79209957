// Processes that share their limits over Redis, in processes of their own that exit or are killed.
import { createScheduler } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { requestPermits, granted } from '../support/permits.js';
import { hasRedisServer } from '../support/redis.js';
import { ownRedis } from '../support/sharing.js';

const rateLimit = { name: 'test', limit: 4, windowMs: 2000 };
const lateArrivalMs = 2000;

/** Runs a program with a scheduler to its end. Resolves to its exit code and its output. */
async function run(url: string, program: string) {
  const head = `
    import { createScheduler } from 'exchange-rx';
    import { shareOverRedis } from 'exchange-rx/redis';
    const scheduler = createScheduler({ redis: shareOverRedis({ url: '${url}' }), lateArrivalMs: ${lateArrivalMs} });
    const rateLimit = ${JSON.stringify(rateLimit)};
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', head + program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = child.stdout.setEncoding('utf8').toArray();
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, (await output).join('').trim()];
}

it('a process without Redis exits by itself when no request waits for a permit', async () => {
  const program = 'scheduler.events$.subscribe(({ state }) => console.log(state));';
  expect(await run('redis://127.0.0.1:1', program)).toEqual([0, 'lost']);
});

it.skipIf(!hasRedisServer)(
  'a process that shares its limits exits by itself when no request waits for a permit any more',
  async (context) => {
    const { url } = await ownRedis(context);
    const program = "scheduler.acquire(rateLimit).subscribe((permit) => permit.release('responded'));";
    expect(await run(url, program)).toEqual([0, '']);
  },
);

it.skipIf(!hasRedisServer)(
  'a process that is killed returns its permits within two windows, and not before one',
  async (context) => {
    const { url } = await ownRedis(context);
    const program = `
      let taken = 0;
      for (let count = 0; count < 8; count += 1) {
        scheduler.acquire(rateLimit).subscribe((permit) => {
          permit.release('responded');
          if (++taken === 8) process.kill(process.pid, 'SIGKILL');
        });
      }
    `;
    await run(url, program);
    const killedAt = performance.now();
    const other = createScheduler({ redis: shareOverRedis({ url }), lateArrivalMs });
    const waiting = requestPermits(4, other, rateLimit);
    await expect.poll(() => granted(waiting).every(Boolean), { interval: 20 }).toBe(true);
    expect(performance.now() - killedAt).toBeLessThan(2 * 2000 + 1500);
    const first = Math.min(...waiting.map(({ at = Number.POSITIVE_INFINITY }) => at)) - Date.now() + performance.now();
    expect(first - killedAt).toBeGreaterThanOrEqual(1950);
  },
);
