// The exchange's health, computed from a series of pings. The thresholds for getting worse and better differ, so that
// the state does not flap.
import type { AnyExchangeError } from '../errors/index.js';
import type { Availability } from '../operators/index.js';

/** When the state of the exchange changes. */
export interface HealthThresholds {
  /**
   * A ping that takes longer is slow, milliseconds, above 0.
   *
   * @default 1000
   */
  readonly slowMs: number;
  /**
   * The number of consecutive failed pings after which the exchange is `down`, 1 or more.
   *
   * @default 3
   */
  readonly downAfter: number;
  /**
   * The number of failed or slow pings among the last ten after which the exchange is `degraded`, 1 to 10.
   *
   * @default 2
   */
  readonly degradedAfter: number;
  /**
   * The number of consecutive good pings after which the exchange is `up` again, 1 or more. Fewer than `degradedAfter`
   * of the last ten may have failed or been slow.
   *
   * @default 3
   */
  readonly upAfter: number;
}

/**
 * Why the exchange is not up:
 * - `slow`: responses take longer than `slowMs`.
 * - `unavailable`: the exchange responds with 503.
 * - `unreachable`: there is no response: no connection, a lost connection, or a timeout.
 * - `limited`: pings wait for a permit of this client, or are responded to with 429. The exchange is never
 *   `down` because of it.
 * - `failing`: the exchange responds with an error, or with a response that cannot be understood.
 */
export type HealthReason = 'slow' | 'unavailable' | 'unreachable' | 'limited' | 'failing';

/** Durations of pings from sending to response, milliseconds, over the last 60; `undefined` before the first response. */
export interface PingLatency {
  /** The last ping; `undefined` when it failed. */
  readonly lastMs: number | undefined;
  /** The median. */
  readonly p50Ms: number | undefined;
  /** The 99th percentile. */
  readonly p99Ms: number | undefined;
}

/** The health of the exchange. */
export interface Health extends Availability {
  /** `degraded`: requests are slow or fail sometimes, and are worth trying. `down`: they are not. */
  readonly state: 'up' | 'degraded' | 'down';
  /** Why the exchange is not up, by the last ping that failed or was slow. Absent when it is up. */
  readonly reason?: HealthReason;
  /** When the current state began, Unix ms. */
  readonly since: number;
  /** Durations of the last pings. */
  readonly latency: PingLatency;
  /** The share of the last 60 pings that got a response, 0 to 1. */
  readonly successRatio: number;
  /** The number of consecutive failed pings. */
  readonly consecutiveFailures: number;
  /** The error of the last ping; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** The result of a ping. */
export type Ping = { readonly latencyMs: number } | { readonly error: AnyExchangeError };

/** Of this many last pings, `degradedAfter` may fail or be slow. */
export const maxDegradedPings = 10;

/** Latency and success ratio are of this many last pings. */
const window = 60;

/** What a ping says. */
interface Judgment {
  /** Why the ping is bad; `undefined` for a good one. */
  readonly reason: HealthReason | undefined;
  /** Whether the exchange responds. `undefined`: unknown. */
  readonly isAlive: boolean | undefined;
  /** `undefined` without a response to the ping. */
  readonly latencyMs: number | undefined;
}

/** The pings so far, oldest first, and the health that results. */
export interface HealthRecord {
  readonly pings: readonly Judgment[];
  readonly health: Health;
}

/** The record with one more ping. */
export function addPing(
  record: HealthRecord | undefined,
  ping: Ping,
  thresholds: HealthThresholds,
  now: number,
): HealthRecord {
  const { downAfter, upAfter, slowMs } = thresholds;
  const last = record?.health;
  const maxPings = Math.max(window, downAfter, upAfter);
  const pings = [...(record?.pings ?? []), judged(ping, slowMs)].slice(-maxPings);
  const state = stateOf(last?.state, pings, thresholds);
  const bad = pings.findLast(({ reason, isAlive }) => (state === 'down' ? isAlive === false : reason !== undefined));
  const reason = state === 'up' ? undefined : (bad?.reason ?? last?.reason);
  const inWindow = pings.slice(-window);
  const latencies = inWindow.flatMap(({ latencyMs }) => latencyMs ?? []).sort((one, other) => one - other);
  const atShare = (share: number) => latencies[Math.ceil(latencies.length * share) - 1];
  const health: Health = {
    state,
    since: last?.state === state ? last.since : now,
    latency: { lastMs: pings.at(-1)?.latencyMs, p50Ms: atShare(0.5), p99Ms: atShare(0.99) },
    successRatio: latencies.length / inWindow.length,
    consecutiveFailures: 'error' in ping ? (last?.consecutiveFailures ?? 0) + 1 : 0,
    ...(reason === undefined ? {} : { reason }),
    ...('error' in ping ? { error: ping.error } : {}),
  };
  return { pings, health };
}

function stateOf(
  before: Health['state'] | undefined,
  pings: readonly Judgment[],
  { downAfter, degradedAfter, upAfter }: HealthThresholds,
): Health['state'] {
  const bad = pings.slice(-maxDegradedPings).filter(({ reason }) => reason !== undefined).length;
  const isRecovered = inARow(pings, ({ reason }) => reason === undefined) >= upAfter && bad < degradedAfter;
  const telling = pings.filter(({ isAlive }) => isAlive !== undefined);

  if (inARow(telling, ({ isAlive }) => isAlive === false) >= downAfter) return 'down';
  if (before === undefined) return bad === 0 ? 'up' : 'degraded';
  if (before === 'up') return bad >= degradedAfter ? 'degraded' : 'up';
  if (isRecovered) return 'up';
  return before === 'down' && inARow(telling, ({ isAlive }) => isAlive === true) < upAfter ? 'down' : 'degraded';
}

function judged(ping: Ping, slowMs: number): Judgment {
  if ('latencyMs' in ping) {
    const { latencyMs } = ping;
    return { reason: latencyMs > slowMs ? 'slow' : undefined, isAlive: true, latencyMs };
  }
  const reason = causeOf(ping.error);
  // A ping that met a rate limit does not show whether the exchange is up.
  return { reason, isAlive: reason === 'limited' ? undefined : false, latencyMs: undefined };
}

function causeOf(error: AnyExchangeError): HealthReason {
  switch (error.kind) {
    case 'unavailable':
      return 'unavailable';
    case 'transport':
      return 'unreachable';
    case 'timeout':
      // It waited too long for its permit.
      return error.phase === 'call' && error.outcome !== 'unknown' ? 'limited' : 'unreachable';
    case 'rate-limited':
    case 'queue-full':
    case 'queue-timeout':
      return 'limited';
    default:
      return 'failing';
  }
}

function inARow(pings: readonly Judgment[], fits: (ping: Judgment) => boolean): number {
  return pings.length - 1 - pings.findLastIndex((ping) => !fits(ping));
}
