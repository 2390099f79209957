// The password of Redis, in every way that a server, an address or the network can bring it into an event, an error or
// the console.
import { createScheduler, RequestError } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { firstValueFrom, timeout } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { portOf } from '../../support/raw-server.js';

const secret = 'pa55-word-of-redis';

/** A server that replys each command so. */
function fakeServer(reply: (command: readonly string[]) => string): Promise<number> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (data) => {
      // Each chunk may hold several commands: `*` and the number of words, then `$` and a length before each.
      for (const text of String(data)
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        const words = text.split('\r\n').filter((word, index) => index % 2 === 1 && word !== '');
        socket.write(reply(words));
      }
    });
  });
  return portOf(server);
}

/** What is reported of sharing over this address first, and all that was printed until then. */
async function reportOf(url: string): Promise<{ readonly reason: string; readonly printed: string }> {
  const printed: unknown[] = [];
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words));
    onTestFinished(() => {
      spy.mockRestore();
    });
  }
  const event = await firstValueFrom(createScheduler({ redis: shareOverRedis({ url }) }).events$.pipe(timeout(10_000)));
  if (event.type !== 'sharing') throw new Error(event.type);
  expect(inspect(event, { depth: 9 })).not.toContain(secret);
  return { reason: event.reason, printed: inspect(printed) };
}

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
const array = (...items: readonly string[]) => `*${items.length}\r\n${items.join('')}`;

describe('the Redis password appears in no event and on no console', () => {
  it.each([
    [
      'does not know AUTH, and quotes the command',
      `-ERR unknown command \`AUTH\`, with args beginning with: \`user\` \`${secret}\` \r\n`,
    ],
    ['knows AUTH with one argument only', `-ERR wrong number of arguments for 'auth' command\r\n`],
    ['has no password', '-ERR Client sent AUTH, but no password is set\r\n'],
    ['rejects the password and quotes it', `-WRONGPASS invalid username-password pair ${secret}\r\n`],
    ['replies with a known word beside it', `-NOPERM ${secret} MOVED ${secret}\r\n`],
    ['replies with an unknown error', `-${secret}\r\n`],
    ['does not speak its protocol', `HTTP/1.1 400 ${secret}\r\n`],
  ])('when the server %s', async (_, reply) => {
    const port = await fakeServer(() => reply);
    const { reason, printed } = await reportOf(`redis://user:${secret}@127.0.0.1:${port}`);
    expect(reason).not.toContain(secret);
    expect(printed).not.toContain(secret);
  });

  it.each([
    ['an older server', array(bulk('version')), 'the server is older than Redis 7, which is required'],
    ['a replica', array(bulk('replica')), 'the server is a replica: connect to its primary'],
    ['no list', bulk(secret), 'the server returned no valid reply'],
    ['an empty list', array(), 'the server returned no valid reply'],
    ['another word', array(bulk(secret)), 'the server returned no valid reply'],
    [
      'text for a time',
      array(bulk('divided'), bulk('id'), bulk(secret), ':1\r\n'),
      'the server returned no valid reply',
    ],
    ['a negative time', array(bulk('divided'), bulk('id'), ':-1\r\n', ':1\r\n'), 'the server returned no valid reply'],
    ['no time', array(bulk('divided'), bulk('id'), ':1\r\n'), 'the server returned no valid reply'],
    [
      'shares without a claim',
      array(bulk('divided'), bulk('id'), ...Array.from({ length: 6 }, () => ':1\r\n')),
      'the server returned no valid reply',
    ],
    ['a window of no claim', array(bulk('window'), ':7\r\n', bulk(secret)), 'the server returned no valid reply'],
  ])('when the script replies with %s', async (_, reply, reason) => {
    const port = await fakeServer(([name]) => (name?.toUpperCase().startsWith('EVAL') ? reply : '+OK\r\n'));
    expect((await reportOf(`redis://:${secret}@127.0.0.1:${port}`)).reason).toBe(reason);
  });
});

describe('an ambiguous Redis address is refused without being quoted', () => {
  it.each([
    ...[`redis://:${secret}?x@127.0.0.1:6379`, `redis://:${secret}#x@127.0.0.1:6379`],
    ...[`redis://127.0.0.1:6379?password=${secret}`, `redis://:x/${secret}@127.0.0.1:6379`],
    ...[`redis://127.0.0.1:6379/${secret}`, `redis://127.0.0.1:6379/1/2${secret}`],
    ...[`redis://:x@${secret}@127.0.0.1:6379`, `redis://:${secret}@`, `redis://:${secret}`],
    ...[`redis://:${secret}@host:port`, `redis://:${secret}@host:99999`, `redis://:${secret}@host:0`],
    ...[`redis://:${secret}%@host`, `redis://:${secret} x@host`, `redis://:${secret}\\x@host`],
    ...[`redis://:${secret}\n@host`, `redis://${secret}@host`, `http://:${secret}@host`],
  ])('%#', (url) => {
    let refusal: unknown;
    try {
      shareOverRedis({ url });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(RequestError);
    expect(refusal).toMatchObject({
      endpoint: 'shareOverRedis',
      issues: [{ field: 'url', message: expect.stringMatching(/^must be "redis:/) as string }],
    });
    expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  it.each([
    'redis://host',
    'redis://host/',
    'redis://host/15',
    'rediss://user:p%40ss@host:6380/1',
    'redis://:a:b@[::1]:6379',
    'redis://my-host_1.example',
    'redis://:!$&()*+,;=~@h',
  ])('accepts %s', (url) => {
    expect(() => shareOverRedis({ url })).not.toThrow();
  });
});
