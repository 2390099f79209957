// A real redis-server, on a free port of loopback, that keeps nothing on disk.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './ports.js';
import { hasProgram } from './programs.js';

export const hasRedisServer = hasProgram('redis-server', {
  by: 'the tests of limits that are shared',
  debianPackage: 'redis-server',
});

/**
 * The sharing states of a process while Redis is stopped and started again. A process that is suspended, or whose
 * requests hang, may lose Redis once more, or come when nobody has to wait any more.
 */
export const lostAndJoined =
  /^(waiting )?joined ((lost )+joined ){0,2}(lost )+(waiting (lost )+){0,2}(waiting )?joined(( lost)+ joined){0,2}$/;

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

export async function startRedis(options: readonly string[] = []) {
  const port = await freePort();
  let server: ChildProcess | undefined;
  /** Stops it at once, as a crash would. */
  const stop = async () => {
    const running = server;
    server = undefined;
    if (running === undefined) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  const command = async (...[name, ...words]: [string, ...string[]]): Promise<unknown> => {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: null, lazyConnect: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...words);
    } finally {
      client.disconnect();
    }
  };
  /** Starts it again, on the same port and empty. */
  const start = async () => {
    server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options],
      { stdio: 'ignore' },
    );
    for (let tries = 0; tries < 100; tries += 1) {
      try {
        await command('INFO');
        return;
      } catch (error) {
        if (error instanceof Error && error.message.includes('NOAUTH')) return;
        await sleep(50);
      }
    }
    throw new Error('redis-server does not answer');
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, port, start, stop, command };
}
