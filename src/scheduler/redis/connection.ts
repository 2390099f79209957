// A connection to Redis that is used until it is lost, and never again.
import { Redis } from 'ioredis';
import type { RedisAddress } from './address.js';
import { divide, type Claim, type Claimant, type Division } from './division.js';
import { failureOf, SharingFailure } from './failure.js';

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
