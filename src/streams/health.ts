// The exchange's health: what a row of pings says of it. Thresholds on the way down and on the way up differ, so that
// it does not flap.
import type { AnyExchangeError } from '../errors/index.js';
import type { Availability } from '../operators/index.js';
import type { Met } from './other-requests.js';

/** What a row of pings is judged by. */
export interface HealthThresholds {
  /** A ping that takes longer is slow, milliseconds, above 0. Default 1000. */
  readonly slowMs: number;
  /** This many failed pings in a row make the exchange `down`, 1 or more. Default 3. */
  readonly downAfter: number;
  /** This many pings of the last ten that failed or were slow make it `degraded`, 1 to 10. Default 2. */
  readonly degradedAfter: number;
  /**
   * This many good pings in a row, with fewer than `degradedAfter` others among the last ten, make it `up` again, 1 or
   * more. Default 3.
   */
  readonly upAfter: number;
  /** Over how many pings latency and success ratio are taken, 1 or more. Default 60. */
  readonly window: number;
}

/**
 * Why the exchange is not up:
 * - `slow`: pings are answered late.
 * - `unavailable`: the exchange answers 503.
 * - `unreachable`: no answer comes: no connection, a lost one, a time-out.
 * - `limited`: pings do not get through our own rate limit, or meet a 429. That says nothing of the exchange: it is
 *   never `down` for it. While a ping waits, the client's other requests are what counts: when none of them is
 *   answered, the reason is theirs.
 * - `failing`: it answers something else than it should.
 */
export type HealthReason = 'slow' | 'unavailable' | 'unreachable' | 'limited' | 'failing';

/** How long pings took, from sending to answer, milliseconds; `undefined` while none was answered. */
export interface PingLatency {
  /** Of the last ping, if it was answered. */
  readonly lastMs: number | undefined;
  /** Half of the window's took at most this. */
  readonly p50Ms: number | undefined;
  /** 99 % of the window's took at most this. */
  readonly p99Ms: number | undefined;
}

/** How the exchange is doing. */
export interface Health extends Availability {
  /** `degraded`: it is slow or fails now and then, and is worth trying. `down`: it is not. */
  readonly state: 'up' | 'degraded' | 'down';
  /** Why it is not up: what the last ping that was not good met. */
  readonly reason?: HealthReason;
  /** Since when it has been in this state, Unix ms. */
  readonly since: number;
  /** How long the window's pings took. */
  readonly latency: PingLatency;
  /** The share of the window's pings that were answered, 0 to 1. */
  readonly successRatio: number;
  /** How many pings in a row failed. */
  readonly consecutiveFailures: number;
  /** The error of the last ping, if it failed. */
  readonly error?: AnyExchangeError;
}

/** What came of a ping; when our own limit kept it back, what other requests met meanwhile. */
export type Ping =
  { readonly latencyMs: number } | { readonly error: AnyExchangeError; readonly othersMet?: Met | undefined };

/** How many of the last pings tell whether it is degraded. */
export const judged = 10;

/** The pings so far, oldest first, and what they say. */
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
  const longest = Math.max(window, judged, downAfter, upAfter);
  const pings = [...(record?.pings ?? []), ping].slice(-longest);
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
  const isTroubled = (ping: Ping) => reasonOf(ping, thresholds.slowMs) !== undefined;
  const troubled = pings.slice(-judged).filter(isTroubled).length;
  const isSteady =
    inARow(pings, (ping) => !isTroubled(ping)) >= thresholds.upAfter && troubled < thresholds.degradedAfter;

  // What met our own limit says nothing of whether the exchange is there.
  const telling = pings.filter((ping) => isDead(ping) || isAlive(ping));

  if (inARow(telling, isDead) >= thresholds.downAfter) return 'down';
  if (before === undefined) return troubled === 0 ? 'up' : 'degraded';
  if (before === 'up') return troubled >= thresholds.degradedAfter ? 'degraded' : 'up';
  if (isSteady) return 'up';
  return before === 'down' && inARow(telling, isAlive) < thresholds.upAfter ? 'down' : 'degraded';
}

/** Whether the ping says that the exchange is not there. */
function isDead(ping: Ping): boolean {
  return 'error' in ping && failureOf(ping) !== 'limited';
}

/** Whether the ping, or other requests in its place, were answered. */
function isAlive(ping: Ping): boolean {
  return 'latencyMs' in ping || ping.othersMet === 'responded';
}

function reasonOf(ping: Ping, slowMs: number): HealthReason | undefined {
  if ('error' in ping) return failureOf(ping);
  return ping.latencyMs > slowMs ? 'slow' : undefined;
}

function failureOf({ error, othersMet }: Extract<Ping, { readonly error: unknown }>): HealthReason {
  return othersMet === undefined || othersMet === 'responded' ? causeOf(error) : othersMet;
}

function causeOf(error: AnyExchangeError): HealthReason {
  switch (error.kind) {
    case 'unavailable':
      return 'unavailable';
    case 'transport':
      return 'unreachable';
    case 'timeout':
      return isKeptBack(error) ? 'limited' : 'unreachable';
    case 'rate-limited':
    case 'queue-full':
    case 'queue-timeout':
      return 'limited';
    default:
      return 'failing';
  }
}

/** Whether the ping was not sent, because it waited for its permit for too long. */
export function isKeptBack(error: AnyExchangeError): boolean {
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
