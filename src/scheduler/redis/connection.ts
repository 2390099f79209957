// A connection to Redis that runs one script, and is used until a call fails, and why limits cannot be shared. Text from a
// server, a socket or the Redis client may quote the password or another tenant's data: it is matched against closed
// lists, and never passed on.
import { Redis } from 'ioredis';

/** Limits cannot be shared now. The message contains only text of this package. */
export class SharingFailure extends Error {
  /** Whether other processes share a rate limit on other terms: this process must not use a share of it. */
  readonly isRefused: boolean;

  constructor(reason: string, isRefused = false) {
    super(reason);
    this.isRefused = isRefused;
  }
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
}

export interface RedisConnection {
  /** Runs a script. Rejects with {@link SharingFailure}. */
  readonly run: (script: Script, key: string, words: readonly (string | number)[]) => Promise<unknown>;
  readonly close: () => void;
}

/** Redis runs a script that it has received by its SHA-1 hash. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

const connectTimeoutMs = 2000;
/** Longer than most pauses of a busy server or process. */
const responseTimeoutMs = 4000;
/** The message of ioredis for commands that were pending when the connection ended. */
const closedMessage = 'Connection is closed.';

export function connectRedis({ host, port, isEncrypted, username, password, db }: RedisAddress): RedisConnection {
  /** The reason why the connection was closed: pending commands fail without it. */
  let lastError: unknown;
  const client = new Redis({
    host,
    port,
    db,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isEncrypted ? { tls: {} } : {}),
    // The ready check of ioredis logs errors of the server, which may quote the password.
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: () => null,
    connectTimeout: connectTimeoutMs,
    maxRetriesPerRequest: 0,
  });
  // The socket does not keep the process alive: requests that wait for a permit do.
  client.on('connect', () => client.stream.unref());
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  const evaluate = async (script: Script, key: string, words: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await client.evalsha(script.hash, 1, key, ...words);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
        return client.eval(script.text, 1, key, ...words);
      throw error;
    }
  };
  return {
    async run(script, key, words) {
      try {
        return await within(responseTimeoutMs, evaluate(script, key, words));
      } catch (error) {
        const isClosed = error instanceof Error && error.message === closedMessage;
        throw failureOf(isClosed ? (lastError ?? error) : error, password !== undefined);
      }
    },
    close() {
      // disconnect() of a client that has ended would keep the process alive for two seconds.
      if (client.status !== 'end') client.disconnect();
    },
  };
}

async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new SharingFailure(`Redis did not respond within ${ms} ms`));
    }, ms).unref();
  });
  return Promise.race([result, late]).finally(() => {
    clearTimeout(timer);
  });
}

const rejected = 'Redis rejected the user name or password';
const clustered = 'the server is part of a Redis Cluster: connect to a standalone primary';

/** Error replies of Redis, by a word of them. */
const replies: ReadonlyMap<string, string> = new Map(
  Object.entries({
    WRONGPASS: rejected,
    AUTH: rejected,
    NOAUTH: 'Redis requires a password',
    NOPERM: 'the Redis user lacks permission for a command, key or channel',
    READONLY: 'the server is a replica: connect to its primary',
    LOADING: 'Redis is loading its data',
    MASTERDOWN: 'the server has lost its primary',
    OOM: 'Redis is out of memory',
    MISCONF: 'Redis refuses writes because it cannot save them',
    NOREPLICAS: 'Redis refuses writes because it has too few replicas',
    BUSY: 'Redis is busy with a script that does not end',
    CROSSSLOT: clustered,
    MOVED: clustered,
  }),
);

/** Codes of Node for sockets and TLS. Only an error of Node itself has such a code. */
const noTrust = /CERT|SIGNATURE/;
const isCode = /^[A-Z][A-Z\d_]{2,49}$/;

/**
 * The failure that an error stands for, in words of this package.
 *
 * @param hasPassword whether a password was sent: then a server that requires one has rejected it
 */
function failureOf(error: unknown, hasPassword: boolean): SharingFailure {
  if (error instanceof SharingFailure) return error;
  const code = textOf(error, 'code');
  if (isCode.test(code)) {
    const reason = noTrust.test(code) ? 'the TLS certificate of Redis is not trusted' : 'no connection to Redis';
    return new SharingFailure(`${reason} (${code})`);
  }
  for (const found of textOf(error, 'message').match(/\b[A-Z]{3,}\b/g) ?? []) {
    const word = found === 'NOAUTH' && hasPassword ? 'WRONGPASS' : found;
    const reply = replies.get(word);
    if (reply !== undefined) return new SharingFailure(`${reply} (${word})`);
  }
  return new SharingFailure(
    textOf(error, 'name') === 'ReplyError' ? 'Redis rejected a command' : 'the connection to Redis was closed',
  );
}

function textOf(error: unknown, field: 'code' | 'message' | 'name'): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
}
