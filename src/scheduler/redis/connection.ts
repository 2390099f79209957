// A connection to Redis that is used until it is lost, and then no more: what this process held through it comes back
// as the permits of a process that died do.
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import type { RedisAddress } from './address.js';
import { agreeing, type Agreeing } from './agreement.js';
import { failureOf, SharingFailure } from './failure.js';

/** A server, as the processes that share limits know it. */
export interface RedisServer {
  /** Changes with each start of the server. */
  readonly runId: string;
  /**
   * Changes with each start of the server and with each promotion from replica to primary, after which it may lack what
   * was granted; and when it gets its first replica.
   */
  readonly identity: string;
}

/** The server that this process used last. */
export interface FormerServer {
  readonly identity: string;
  /** Until when, by `performance.now()`. */
  readonly until: number;
}

export interface RedisConnection extends Pick<RedisServer, 'runId'>, Agreeing {
  /** The identity of the server, as it was last read. */
  readonly identity: () => string;
  /**
   * Since when every grant of the processes is known to this server, by `performance.now()`. May move while other
   * processes connect.
   */
  readonly knowsAllSince: () => Promise<number>;
  /** For Bottleneck. */
  readonly connection: Bottleneck.IORedisConnection;
  /**
   * Closes it, and records for the processes that connect next that the server does not know what was granted until
   * now.
   */
  readonly closeForgotten: () => void;
  readonly close: () => void;
}

/** Older servers let Bottleneck begin anew without a word when they were emptied. */
const oldestVersion = 7;

/**
 * Bottleneck's scripts go by the clocks of the processes: a lease of one whose clock is behind would end early for the
 * others.
 */
export const maxSkewMs = 1000;
const connectTimeoutMs = 2000;
/** Digits of a number that Redis tells: more are no count of milliseconds or seconds. */
const maxDigits = 15;

/**
 * The key holds the identity of the primary, and since when that primary knows every grant. It is replicated: a replica
 * that was promoted, a server that was restarted or emptied, and one that became primary again finds another identity
 * there, or none, and knows nothing from before now. `ARGV[2]` is how long ago, at most, a grant may be unknown in any
 * case. Returns how long ago the server began to know all, milliseconds.
 */
const knowledge = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local isText = redis.call('TYPE', KEYS[1]).ok == 'string'
  local identity, known = string.match(isText and redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)$')
  local since = now
  if identity == ARGV[1] and #known <= 15 then
    since = math.min(now, math.max(tonumber(known), now - tonumber(ARGV[2])))
  end
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. string.format('%.0f', since))
  return now - since
`;

/**
 * Connects; fails with {@link SharingFailure} when there is no primary, or when its clock differs from ours. `onLost`
 * is called at most once, after it has succeeded.
 */
export async function connectRedis(
  { host, port, isEncrypted, username, password, db }: RedisAddress,
  cluster: string,
  former: FormerServer | undefined,
  onLost: (failure: SharingFailure) => void,
): Promise<RedisConnection> {
  const opened: Redis[] = [];
  /** What a client, or Bottleneck, said last: why the connection was closed. */
  let lastError: unknown;
  let lost = false;
  let ready = false;

  let connection: Bottleneck.IORedisConnection | undefined;

  const close = () => {
    lost = true;
    // Bottleneck's own heartbeats end with its connection.
    connection?.disconnect(false).catch(() => undefined);
    // One that has ended would only wait two seconds more, and keep the process alive for them.
    for (const client of opened) if (client.status !== 'end') client.disconnect();
  };
  /** Sockets do not keep the process alive: those who wait for a permit do. */
  const watch = (client: Redis) => {
    opened.push(client);
    client.on('connect', () => client.stream.unref());
    client.on('error', (error: unknown) => {
      lastError = error;
    });
    client.on('end', () => {
      if (lost) return;
      close();
      if (ready) onLost(failureOf(lastError));
    });
    return client;
  };

  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  const encryption = isEncrypted ? { tls: {} } : {};
  // The check of the Redis client prints what the server says, which may quote the password; this package makes its
  // own.
  const terms = {
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: connectTimeoutMs,
    maxRetriesPerRequest: 0,
  };
  const main = watch(
    new Redis({
      host,
      port,
      db,
      ...credentials,
      ...encryption,
      ...terms,
      autoResubscribe: false,
      disableClientInfo: true,
    }),
  );
  // Bottleneck makes itself a second one, to subscribe with.
  const duplicate = main.duplicate.bind(main);
  main.duplicate = (override) => watch(duplicate(override));

  try {
    let server = await within(connectTimeoutMs, readServer(main));
    const { runId } = server;
    /** @param unknownUntil grants until then, by `performance.now()`, may be unknown to this server */
    const knowsAllSince = async (unknownUntil = Number.NEGATIVE_INFINITY) => {
      // Processes that know it by different identities would overwrite each other's for ever.
      server = await within(connectTimeoutMs, readServer(main));
      const askedAt = performance.now();
      const unknownForMs = Math.min(askedAt - unknownUntil, Number.MAX_SAFE_INTEGER);
      const knownForMs: unknown = await within(
        connectTimeoutMs,
        main.eval(knowledge, 1, `${cluster}:server`, server.identity, Math.floor(unknownForMs)),
      );
      if (typeof knownForMs !== 'number' || !Number.isInteger(knownForMs) || knownForMs < 0)
        throw new SharingFailure('the server does not tell its time');
      return performance.now() - knownForMs;
    };
    // What another server granted until this process left it may be unknown to this one.
    await knowsAllSince(former?.identity === server.identity ? undefined : former?.until);
    connection = new Bottleneck.IORedisConnection({ client: main });
    connection.on('error', (error: unknown) => {
      lastError = error;
    });
    await within(connectTimeoutMs, Promise.all(opened.map(untilReady)));
    ready = true;
    const closeForgotten = () => {
      knowsAllSince(performance.now()).then(close, close);
    };
    const { announce, look } = agreeing(main, cluster);
    return {
      runId,
      identity: () => server.identity,
      knowsAllSince: () => knowsAllSince(),
      connection,
      announce,
      look,
      closeForgotten,
      close,
    };
  } catch (error) {
    close();
    const isClosed = error instanceof Error && error.message === closedMessage;
    throw failureOf(isClosed ? (lastError ?? error) : error, password !== undefined);
  }
}

/** What the Redis client says of what was asked when its connection ended. */
const closedMessage = 'Connection is closed.';

/** What {@link readServer} asks of a client. */
interface Client {
  info(section: string): Promise<string>;
  time(): Promise<(number | string)[]>;
}

async function readServer(client: Client): Promise<RedisServer> {
  const info = `${await client.info('server')}\n${await client.info('replication')}`;
  const field = (name: string, pattern: string) => new RegExp(`^${name}:(${pattern})`, 'm').exec(info)?.[1];
  const [version, runId, replicationId] = [
    field('redis_version', '\\d{1,4}'),
    field('run_id', '\\w{1,64}'),
    field('master_replid', '\\w{1,64}'),
  ];
  if (version === undefined || runId === undefined || replicationId === undefined)
    throw new SharingFailure('the server does not tell what it is');
  if (Number(version) < oldestVersion)
    throw new SharingFailure(`the server is Redis ${version}: ${oldestVersion} or later is needed`);
  if (field('role', 'master\\b') === undefined)
    throw new SharingFailure('the server is a replica: connect to its primary');

  const asked = Date.now();
  const serverTime = await serverTimeOf(client);
  const skewMs = Math.max(serverTime - Date.now(), asked - serverTime, 0);
  if (skewMs > maxSkewMs)
    throw new SharingFailure(
      `the clocks differ by more than ${Math.floor(skewMs / 1000)} s: let NTP set them`,
      undefined,
      true,
    );
  return { runId, identity: `${runId}:${replicationId}` };
}

/** Unix ms, by the server's clock. */
async function serverTimeOf(client: Pick<Client, 'time'>): Promise<number> {
  const [seconds, micros] = (await client.time()).map((part) => (isDigits(String(part)) ? Number(part) : Number.NaN));
  const time = Number(seconds) * 1000 + Number(micros) / 1000;
  if (!Number.isFinite(time)) throw new SharingFailure('the server does not tell its time');
  return time;
}

function isDigits(text: string): boolean {
  return text.length <= maxDigits && /^\d+$/.test(text);
}

function untilReady(client: {
  readonly status: string;
  once(event: 'ready' | 'end', listener: () => void): unknown;
}): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('end', () => {
      reject(new Error(closedMessage));
    });
  });
}

async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new SharingFailure(`no response of Redis within ${ms} ms`));
    }, ms).unref();
  });
  return Promise.race([result, late]).finally(() => {
    clearTimeout(timer);
  });
}
