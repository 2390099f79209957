// A connection to Redis that is used until it is lost, and never again: the permits that this process held through it
// return as those of a process that died.
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import type { RedisAddress } from './address.js';
import { createAgreement, forgottenMs, processesKey, type Agreement } from './agreement.js';
import { failureOf, SharingFailure } from './failure.js';
import { maxSkewMs, readServer, type RedisServer } from './server.js';

/** The server that this process used before. */
export interface FormerServer {
  readonly identity: string;
  /** Until when, by `performance.now()`. */
  readonly until: number;
}

export interface RedisConnection extends Pick<RedisServer, 'runId'>, Agreement {
  /** The identity of the server, as last read. */
  readonly identity: () => string;
  /**
   * The time since which this server knows every grant of the processes, by `performance.now()`. It may move while
   * other processes connect.
   */
  readonly knowsAllSince: () => Promise<number>;
  /**
   * Shows the other processes that this one is alive: what it announced of rate limits at rest stays valid. Call it
   * about once a second. Rejects when the server was lost, flushed or demoted.
   */
  readonly showAlive: () => Promise<void>;
  /** For Bottleneck. */
  readonly connection: Bottleneck.IORedisConnection;
  /**
   * Moves the expiry, Unix ms, of a job of a Bottleneck limiter. Resolves to whether Redis still counted its permits:
   * a job whose expiry has passed counts until Redis removes it.
   */
  readonly extendJob: (limiterId: string, job: string, expiresAt: number) => Promise<boolean>;
  /** Closes the connection, and records for the next processes that the server knows no grant from before now. */
  readonly closeForgotten: () => void;
  readonly close: () => void;
}

const connectTimeoutMs = 2000;
/**
 * No message arrives while every rate limit rests. A router may then forget the connection without closing it, and
 * cool-downs of other processes would be lost: the system probes it after this time without data.
 */
const keepAliveMs = 10_000;
/** A process that has not shown for this time that it is alive is not: its limits at rest no longer apply. */
const aliveMs = 10_000 + maxSkewMs;

/**
 * The key stores the identity of the primary, and since when that primary knows every grant. The key is replicated. A
 * promoted replica, a server that was restarted or flushed, and a server that became primary again find another
 * identity in it, or none: they know no grant from before now. `ARGV[2]` is how long ago a grant may be unknown in any
 * case. Returns for how long the server has known every grant, milliseconds.
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
 * Connects. Rejects with {@link SharingFailure}, also for a server that {@link readServer} rejects. `onLost` is called
 * at most once, and only after the promise was resolved.
 */
export async function connectRedis(
  { host, port, isEncrypted, username, password, db }: RedisAddress,
  cluster: string,
  former: FormerServer | undefined,
  onLost: (failure: SharingFailure) => void,
): Promise<RedisConnection> {
  const opened: Redis[] = [];
  /** The last error of a client or of Bottleneck: the reason why the connection was closed. */
  let lastError: unknown;
  let lost = false;
  let ready = false;

  let connection: Bottleneck.IORedisConnection | undefined;

  const close = () => {
    lost = true;
    // Stops the heartbeats of Bottleneck.
    connection?.disconnect(false).catch(() => undefined);
    // disconnect() of a client that has ended would keep the process alive for two seconds.
    for (const client of opened) if (client.status !== 'end') client.disconnect();
  };
  /** The sockets do not keep the process alive: requests that wait for a permit do. */
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
  // The ready check of ioredis logs errors of the server, which may quote the password: readServer() replaces it.
  const terms = {
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: connectTimeoutMs,
    keepAlive: keepAliveMs,
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
  // Bottleneck duplicates the client to subscribe to messages.
  const duplicate = main.duplicate.bind(main);
  main.duplicate = (override) => watch(duplicate(override));

  try {
    let server = await within(connectTimeoutMs, readServer(main));
    const { runId } = server;
    /** @param unknownUntil grants before this time, by `performance.now()`, may be unknown to this server */
    const knowsAllSince = async (unknownUntil = Number.NEGATIVE_INFINITY) => {
      // Read again: processes that use different identities of one server would overwrite the key in turn for ever.
      server = await within(connectTimeoutMs, readServer(main));
      const requestedAt = performance.now();
      const unknownForMs = Math.min(requestedAt - unknownUntil, Number.MAX_SAFE_INTEGER);
      const knownForMs: unknown = await within(
        connectTimeoutMs,
        main.eval(knowledge, 1, `${cluster}:server`, server.identity, Math.floor(unknownForMs)),
      );
      if (typeof knownForMs !== 'number' || !Number.isInteger(knownForMs) || knownForMs < 0)
        throw new SharingFailure('the server returned no valid time');
      return performance.now() - knownForMs;
    };
    // This server may not know what another server granted until this process left that one.
    await knowsAllSince(former?.identity === server.identity ? undefined : former?.until);
    connection = new Bottleneck.IORedisConnection({ client: main });
    connection.on('error', (error: unknown) => {
      lastError = error;
    });
    await within(connectTimeoutMs, Promise.all(opened.map(untilReady)));
    const token = crypto.randomUUID();
    let isKnown = false;
    const showAlive = async () => {
      const key = processesKey(cluster, runId);
      const now = Date.now();
      const replies = await main
        .pipeline()
        .zadd(key, now + aliveMs, token)
        .zremrangebyscore(key, 0, now - forgottenMs)
        .pexpire(key, forgottenMs)
        .exec();
      for (const [error] of replies ?? []) if (error !== null) throw error;
      if (isKnown && replies?.[0]?.[1] !== 0) throw new SharingFailure('Redis was flushed', 'forgotten');
      isKnown = true;
    };
    await within(connectTimeoutMs, showAlive());
    ready = true;
    const closeForgotten = () => {
      knowsAllSince(performance.now()).then(close, close);
    };
    const { announce, keep, check } = createAgreement(main, cluster, runId, token);
    return {
      runId,
      identity: () => server.identity,
      knowsAllSince: () => knowsAllSince(),
      showAlive,
      connection,
      // On the connection of Bottleneck: no command of a job that ends later overtakes this one.
      extendJob: async (limiterId, job, expiresAt) =>
        (await main.zadd(`b_${limiterId}_job_expirations`, 'XX', 'CH', expiresAt, job)) === 1,
      announce,
      keep,
      check,
      closeForgotten,
      close,
    };
  } catch (error) {
    close();
    const isClosed = error instanceof Error && error.message === closedMessage;
    throw failureOf(isClosed ? (lastError ?? error) : error, password !== undefined);
  }
}

/** The message of ioredis for commands that were pending when the connection ended. */
const closedMessage = 'Connection is closed.';

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
      reject(new SharingFailure(`no response from Redis within ${ms} ms`));
    }, ms).unref();
  });
  return Promise.race([result, late]).finally(() => {
    clearTimeout(timer);
  });
}
