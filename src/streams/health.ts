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
  /**
   * The number of last pings over which latency and success ratio are computed, 1 or more.
   *
   * @default 60
   */
  readonly window: number;
}

/**
 * Why the exchange is not up:
 * - `slow`: responses take longer than `slowMs`.
 * - `unavailable`: the exchange responds with 503.
 * - `unreachable`: there is no response: no connection, a lost connection, or a timeout.
 * - `limited`: pings wait for a permit of this client, or are responded to with 429. This says nothing about the
 *   exchange, which is never `down` because of it. While a ping waits, the client's other requests count instead: when
 *   none of them gets a response, the reason is theirs.
 * - `failing`: the exchange responds with an error, or with a response that cannot be understood.
 */
export type HealthReason = 'slow' | 'unavailable' | 'unreachable' | 'limited' | 'failing';

/** Durations of pings from sending to response, milliseconds; `undefined` before the first response. */
export interface PingLatency {
  /** The last ping; `undefined` when it failed. */
  readonly lastMs: number | undefined;
  /** The median over the window. */
  readonly p50Ms: number | undefined;
  /** The 99th percentile over the window. */
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
  /** Durations of the pings of the window. */
  readonly latency: PingLatency;
  /** The share of the window's pings that got a response, 0 to 1. */
  readonly successRatio: number;
  /** The number of consecutive failed pings. */
  readonly consecutiveFailures: number;
  /** The error of the last ping; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** The result of the client's other requests: responses, or the reason why there were none. */
export type OthersResult = 'responded' | Exclude<HealthReason, 'slow' | 'limited'>;

/** The result of a ping and, when it was not sent for lack of a permit, that of the other requests meanwhile. */
export type Ping =
  { readonly latencyMs: number } | { readonly error: AnyExchangeError; readonly others?: OthersResult | undefined };

/** Of this many last pings, `degradedAfter` may fail or be slow. */
export const maxDegradedPings = 10;

/** The pings so far, oldest first, and the health that results. */
export interface HealthRecord {
  readonly pings: readonly Ping[];
  readonly health: Health;
}

/** The record with one more ping. */
export function addPing(
  record: HealthRecord | undefined,
  ping: Ping,
  thresholds: HealthThresholds,
  now: number,
): HealthRecord {
  const { window, downAfter, upAfter, slowMs } = thresholds;
  const maxPings = Math.max(window, maxDegradedPings, downAfter, upAfter);
  const pings = [...(record?.pings ?? []), ping].slice(-maxPings);
  const state = stateOf(record?.health.state, pings, thresholds);
  const since = record?.health.state === state ? record.health.since : now;
  const reasons = pings.filter((one) => state !== 'down' || isDead(one)).map((one) => reasonOf(one, slowMs));
  const reason = state === 'up' ? undefined : (reasons.findLast((one) => one !== undefined) ?? record?.health.reason);
  const inWindow = pings.slice(-window);
  const health: Health = {
    state,
    since,
    latency: latencyOf(inWindow),
    successRatio: inWindow.filter((one) => 'latencyMs' in one).length / inWindow.length,
    consecutiveFailures: 'error' in ping ? (record?.health.consecutiveFailures ?? 0) + 1 : 0,
    ...(reason === undefined ? {} : { reason }),
    ...('error' in ping ? { error: ping.error } : {}),
  };
  return { pings, health };
}

function stateOf(
  before: Health['state'] | undefined,
  pings: readonly Ping[],
  thresholds: HealthThresholds,
): Health['state'] {
  const isBad = (ping: Ping) => reasonOf(ping, thresholds.slowMs) !== undefined;
  const bad = pings.slice(-maxDegradedPings).filter(isBad).length;
  const isRecovered = inARow(pings, (ping) => !isBad(ping)) >= thresholds.upAfter && bad < thresholds.degradedAfter;

  // A ping that met a rate limit says nothing about the exchange.
  const telling = pings.filter((ping) => isDead(ping) || isAlive(ping));

  if (inARow(telling, isDead) >= thresholds.downAfter) return 'down';
  if (before === undefined) return bad === 0 ? 'up' : 'degraded';
  if (before === 'up') return bad >= thresholds.degradedAfter ? 'degraded' : 'up';
  if (isRecovered) return 'up';
  return before === 'down' && inARow(telling, isAlive) < thresholds.upAfter ? 'down' : 'degraded';
}

/** Whether the ping shows that the exchange is down. */
function isDead(ping: Ping): boolean {
  return 'error' in ping && failureOf(ping) !== 'limited';
}

/** Whether the ping, or another request in its place, got a response. */
function isAlive(ping: Ping): boolean {
  return 'latencyMs' in ping || ping.others === 'responded';
}

function reasonOf(ping: Ping, slowMs: number): HealthReason | undefined {
  if ('error' in ping) return failureOf(ping);
  return ping.latencyMs > slowMs ? 'slow' : undefined;
}

function failureOf({ error, others }: Extract<Ping, { readonly error: unknown }>): HealthReason {
  return others === undefined || others === 'responded' ? causeOf(error) : others;
}

function causeOf(error: AnyExchangeError): HealthReason {
  switch (error.kind) {
    case 'unavailable':
      return 'unavailable';
    case 'transport':
      return 'unreachable';
    case 'timeout':
      return isUnsent(error) ? 'limited' : 'unreachable';
    case 'rate-limited':
    case 'queue-full':
    case 'queue-timeout':
      return 'limited';
    default:
      return 'failing';
  }
}

/** Whether the ping was not sent, because it waited too long for its permit. */
export function isUnsent(error: AnyExchangeError): boolean {
  if (error.kind === 'timeout') return error.phase === 'call' && error.outcome !== 'unknown';
  return error.kind === 'queue-timeout' || error.kind === 'queue-full';
}

function latencyOf(pings: readonly Ping[]): PingLatency {
  const last = pings.at(-1);
  const sorted = pings.flatMap((ping) => ('latencyMs' in ping ? [ping.latencyMs] : [])).sort((a, b) => a - b);
  const atShare = (share: number) => sorted[Math.ceil(sorted.length * share) - 1];
  return {
    lastMs: last !== undefined && 'latencyMs' in last ? last.latencyMs : undefined,
    p50Ms: atShare(0.5),
    p99Ms: atShare(0.99),
  };
}

function inARow(pings: readonly Ping[], fits: (ping: Ping) => boolean): number {
  const lastOther = pings.findLastIndex((ping) => !fits(ping));
  return pings.length - 1 - lastOther;
}
