// Processes that share their limits over Redis, in processes of their own that exit or are killed.
import { createScheduler } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestPermit, granted } from '../support/permits.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';

const rateLimit = { name: 'test', limit: 4, windowMs: 2000 };
const lateArrivalMs = 2000;

function run(url: string, program: string) {
  const head = `
    import { createScheduler } from 'exchange-rx';
    import { shareOverRedis } from 'exchange-rx/redis';
    const scheduler = createScheduler({ redis: shareOverRedis({ url: '${url}' }), lateArrivalMs: ${lateArrivalMs} });
    const rateLimit = ${JSON.stringify(rateLimit)};
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', head + program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('a process without Redis exits by itself when no request waits for a permit', async () => {
  const child = run('redis://127.0.0.1:1', `scheduler.events$.subscribe(({ state }) => console.log(state));`);
  const output = child.stdout.setEncoding('utf8').toArray();
  const [code] = (await once(child, 'exit')) as [number | null];
  expect([code, (await output).join('').trim()]).toEqual([0, 'lost']);
});

describe.skipIf(!hasRedisServer)('a process that shares its limits', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  it('exits by itself when no request waits for a permit any more', async () => {
    const child = run(redis.url, `scheduler.acquire(rateLimit).subscribe((permit) => permit.release('responded'));`);
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
  });

  it('returns its permits within two windows when it is killed, and not before one', async () => {
    const child = run(
      redis.url,
      `
      let taken = 0;
      for (let count = 0; count < 8; count += 1) {
        scheduler.acquire(rateLimit).subscribe((permit) => {
          permit.release('responded');
          if (++taken === 8) process.kill(process.pid, 'SIGKILL');
        });
      }
      `,
    );
    await once(child, 'exit');
    const killedAt = performance.now();
    const other = createScheduler({ redis: shareOverRedis({ url: redis.url }), lateArrivalMs });
    const waiting = Array.from({ length: 4 }, () => requestPermit(other, rateLimit));
    const grantedAt = await expect
      .poll(() => granted(waiting).every(Boolean), { interval: 20 })
      .toBe(true)
      .then(() => performance.now());
    const first = Math.min(...waiting.map(({ at = Number.POSITIVE_INFINITY }) => at)) - Date.now() + performance.now();
    expect(first - killedAt).toBeGreaterThanOrEqual(1950);
    expect(grantedAt - killedAt).toBeLessThan(2 * 2000 + 1500);
  });
});
