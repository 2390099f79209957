// The Redis user that docs/limits.md names for the package: it may do what sharing limits takes, and nothing else.
import { Redis } from 'ioredis';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { hasRedisServer } from '../support/redis.js';
import { ownRedis, rateLimit, sharersFor, until } from '../support/sharing.js';

const password = 'p@ss/w?rd#1%';

/** The line of the documentation, with the name and the password that it leaves open. */
async function aclLine(name: string): Promise<readonly string[]> {
  const page = await readFile(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const line = /^ACL SETUSER (.+)$/m.exec(page)?.[1];
  if (line === undefined) throw new Error('docs/limits.md has no ACL line');
  return line.replaceAll('exchange-rx', name).replace('>password', `>${password}`).split(' ');
}

describe.skipIf(!hasRedisServer)('the Redis user of docs/limits.md', { timeout: 40_000 }, () => {
  async function setup(context: TestContext) {
    const redis = await ownRedis(context);
    await redis.command('ACL', 'SETUSER', ...(await aclLine('exchange-rx')));
    return { redis, url: `redis://exchange-rx:${encodeURIComponent(password)}@127.0.0.1:${redis.port}` };
  }

  it('can share limits: two processes join, send and announce a cool-down, and Redis denies no command', async (context) => {
    const { redis, url } = await setup(context);
    const open = sharersFor(context, { url });
    const [one, other] = [open(), open()];
    one.saturate();
    other.saturate();
    await until(() => one.sent.length > 200 && other.sent.length > 200);
    one.stop();
    one.scheduler.acquire(rateLimit).subscribe((permit) => {
      permit.release('rate-limited', 2000);
    });
    await until(() => other.usage()?.coolDownUntil !== undefined);
    expect([...one.states(), ...other.states()]).not.toContain('lost');
    const denied = (await redis.command('ACL', 'LOG')) as readonly unknown[];
    expect(denied.map(String)).toEqual([]);
  });

  it('can use no other key, channel or server command', async (context) => {
    const client = new Redis((await setup(context)).url);
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
