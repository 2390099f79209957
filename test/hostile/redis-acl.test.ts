// The Redis user that docs/limits.md names for the package: it may do what sharing limits takes, and nothing else.
import { Redis } from 'ioredis';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, sharer, until } from './redis-tenant.js';

const password = 'p@ss/w?rd#1%';

/** The line of the documentation, with the name and the password that it leaves open. */
async function aclLine(name: string): Promise<readonly string[]> {
  const page = await readFile(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const line = /^ACL SETUSER (.+)$/m.exec(page)?.[1];
  if (line === undefined) throw new Error('docs/limits.md has no ACL line');
  return line.replaceAll('exchange-rx', name).replace('>password', `>${password}`).split(' ');
}

describe.skipIf(!hasRedisServer)('the Redis user of docs/limits.md', { timeout: 40_000 }, () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
    await redis.command('ACL', 'SETUSER', ...(await aclLine('exchange-rx')));
  });
  afterEach(() => redis.stop());

  const url = () => `redis://exchange-rx:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`;

  it('can share limits: two processes join, send and announce a cool-down, and Redis denies no command', async () => {
    const [one, other] = [sharer({ url: url() }), sharer({ url: url() })];
    one.saturate();
    other.saturate();
    await until(() => one.sent.length > 200 && other.sent.length > 200);
    one.stop();
    one.scheduler.acquire(rateLimit).subscribe((permit) => {
      permit.release('rate-limited', 2000);
    });
    await until(() => other.coolDownUntil() !== undefined);
    other.stop();
    expect([...one.events, ...other.events].map(({ state }) => state)).not.toContain('lost');
    const denied = (await redis.command('ACL', 'LOG')) as readonly unknown[];
    expect(denied.map(String)).toEqual([]);
  });

  it('can use no other key, channel or server command', async () => {
    const client = new Redis(url());
    client.on('error', () => undefined);
    const forbidden: readonly [string, ...string[]][] = [
      ['GET', 'other'],
      ['SET', 'other', 'x'],
      ['HGETALL', 'other:limits'],
      ['EVAL', "return redis.call('GET', 'other')", '0'],
      ['EVAL', "return redis.call('KEYS', '*')", '0'],
      ['PUBLISH', 'other', 'x'],
      ['SUBSCRIBE', 'other'],
      ['KEYS', '*'],
      ['SCAN', '0'],
      ['FLUSHALL'],
      ['CONFIG', 'GET', 'requirepass'],
      ['ACL', 'LIST'],
      ['CLIENT', 'LIST'],
      ['MONITOR'],
      ['SHUTDOWN'],
    ];
    for (const [name, ...words] of forbidden)
      await expect(client.call(name, ...words), name).rejects.toThrow(/NOPERM|can't/);
    client.disconnect();
  });
});
