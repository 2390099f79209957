// The address of a Redis server, and a connection to it that is used until it is lost, and never again.
import { Redis } from 'ioredis';
import { divide, type Claim, type Claimant, type Division } from './division.js';
import { failureOf, SharingFailure } from './failure.js';

/** Where the server is, and the credentials for it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database number. */
  readonly db: number;
}

const defaultPort = 6379;
const maxPort = 65_535;
const encoded = '(?:[^\\s\\p{Cc}\\\\/?#@:%]|%[\\da-f]{2})';
const address = new RegExp(
  `^redis(?<tls>s?)://(?:(?<username>${encoded}*):(?<password>(?:${encoded}|:)+)@)?` +
    String.raw`(?:\[(?<ip6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?(?:/(?<db>\d{0,5}))?$`,
  'iu',
);

/**
 * The parts of an address, or the rule that it breaks. A password that is not percent-encoded can look like a host or a
 * path, so the parts are parsed strictly, and the rule quotes nothing of the address.
 */
export function parseAddress(url: string): RedisAddress | string {
  const { tls, username = '', password, ip6, name = '', port, db } = address.exec(url)?.groups ?? {};
  const host = ip6 ?? name;
  const given = { host, port: Number(port ?? defaultPort), isEncrypted: tls === 's', db: Number(db ?? 0) };
  if (host === '' || given.port < 1 || given.port > maxPort) return form;
  try {
    return {
      ...given,
      username: username === '' ? undefined : decodeURIComponent(username),
      password: password === undefined ? undefined : decodeURIComponent(password),
    };
  } catch {
    return form;
  }
}

const form =
  'must be "redis://host:port/database", or "rediss://" for TLS, with "user:password@" before the host if the server ' +
  'requires it: percent-encode both, with encodeURIComponent()';

export interface RedisConnection {
  /** Claims permits. Rejects with {@link SharingFailure}. */
  readonly divide: (claimant: Claimant, claims: readonly Claim[]) => Promise<Division>;
  readonly close: () => void;
}

const connectTimeoutMs = 2000;
/** Longer than most pauses of a busy server or process. */
const responseTimeoutMs = 4000;

/** @param onLost called when the connection ends before it is closed */
export function connectRedis(
  { host, port, isEncrypted, username, password, db }: RedisAddress,
  onLost: (failure: SharingFailure) => void,
): RedisConnection {
  /** The reason why the connection was closed: pending commands fail without it. */
  let lastError: unknown;
  let isClosed = false;
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
  const causeOf = (error: unknown) =>
    failureOf(
      error instanceof Error && error.message === closedMessage ? (lastError ?? error) : error,
      password !== undefined,
    );
  // The socket does not keep the process alive: requests that wait for a permit do.
  client.on('connect', () => client.stream.unref());
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  client.on('end', () => {
    if (!isClosed) onLost(causeOf(lastError));
  });
  return {
    async divide(claimant, claims) {
      try {
        return await within(responseTimeoutMs, divide(client, claimant, claims));
      } catch (error) {
        throw causeOf(error);
      }
    },
    close() {
      isClosed = true;
      // disconnect() of a client that has ended would keep the process alive for two seconds.
      if (client.status !== 'end') client.disconnect();
    },
  };
}

/** The message of ioredis for commands that were pending when the connection ended. */
const closedMessage = 'Connection is closed.';

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
