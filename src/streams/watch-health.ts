// watchHealth(): polls the exchange with pings, and computes its health from the last of them.
import { catchError, defer, map, of, ReplaySubject, scan, share, type Observable } from 'rxjs';
import {
  durationAbove0,
  isExchangeError,
  maxTimerMs,
  optionsOf,
  parse,
  RequestError,
  type AnyExchangeError,
} from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { poll, type Availability } from '../operators/index.js';

/** Options of {@link watchHealth}. */
export interface WatchHealthOptions {
  /**
   * The pause between two pings, milliseconds, above 0.
   *
   * @default 1000
   */
  readonly everyMs?: number;
  /**
   * A ping that takes longer is slow, milliseconds, above 0. After five times this time it has failed; a ping that waits
   * for its permit as long is not sent.
   *
   * @default 1000
   */
  readonly slowMs?: number;
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
  /** The error of the last ping; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

const healthOptions = optionsOf<WatchHealthOptions>({
  everyMs: durationAbove0,
  slowMs: durationAbove0,
});

/**
 * Pings the exchange and emits its health after every ping. A failed ping does not end the stream. Subscribers of the
 * same observable share its pings, a late subscriber gets the last health at once, and the last one to unsubscribe
 * stops the pings.
 *
 * One bad ping changes nothing. Two failed or slow pings of the last ten make the exchange `degraded`, three consecutive
 * failures make it `down`. It is `up` again after three good pings in a row, when fewer than two of the last ten were bad.
 *
 * Latency does not include the wait for a permit. A ping that is not sent does not make the exchange `down`.
 *
 * ```text
 * pings:           o---o---#---#---#---o---o---o    o: response, #: failure
 * watchHealth():   u---u---u---g---d---d---d---g    u: up, g: degraded, d: down
 * ```
 *
 * Sends `GET /api/v4/public/ping` with priority `urgent`. A ping is not retried: a retry would hide the failure.
 *
 * @example
 * ```ts
 * import { createExchange, watchHealth } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchHealth(exchange, { everyMs: 500 })
 *   .pipe(take(3))
 *   .subscribe(({ state, latency }) => console.log(state, latency.lastMs));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchHealth(exchange: Pick<Exchange, 'public'>, options: WatchHealthOptions = {}): Observable<Health> {
  const parsed = parse('watchHealth', healthOptions, options);
  const { everyMs = 1000, slowMs = 1000 } = parsed;
  const timeoutMs = Math.min(failedAfter * slowMs, maxTimerMs);
  const ping$ = defer(() => {
    let latencyMs = 0;
    const pong$ = exchange.public.ping({
      retry: false,
      // Behind the client's other requests a ping would measure the queue: urgent requests have a reserve.
      priority: 'urgent',
      timeoutMs,
      validForMs: timeoutMs,
      onEvent: (event) => {
        if (event.type === 'response') latencyMs = event.durationMs;
      },
    });
    return pong$.pipe(map((): Ping => ({ latencyMs })));
  });
  return ping$.pipe(
    catchError((error: unknown) => of(failedPing(error))),
    poll({ everyMs }),
    scan<Ping, HealthRecord, undefined>((record, ping) => addPing(record, ping, slowMs, Date.now()), undefined),
    map(({ health }) => health),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

/** Failures of requests are values of the stream; a bug of the program ends it. */
function failedPing(error: unknown): Ping {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { error };
}

export type Ping = { readonly latencyMs: number } | { readonly error: AnyExchangeError };

/** A ping has failed without a response after this many times `slowMs`. */
const failedAfter = 5;
/** The exchange is down after this many failed pings in a row. */
const downAfter = 3;
/** The exchange is degraded when this many of the last ten pings failed or were slow. */
const degradedAfter = 2;
const degradedWindow = 10;
/** It is up again after this many good pings in a row. */
const upAfter = 3;
/** Latency and success ratio are of this many last pings. */
const window = 60;

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

export function addPing(record: HealthRecord | undefined, ping: Ping, slowMs: number, now: number): HealthRecord {
  const last = record?.health;
  const pings = [...(record?.pings ?? []), judged(ping, slowMs)].slice(-window);
  const state = stateOf(last?.state, pings);
  const bad = pings.findLast(({ reason, isAlive }) => (state === 'down' ? isAlive === false : reason !== undefined));
  const reason = state === 'up' ? undefined : (bad?.reason ?? last?.reason);
  const latencies = pings.flatMap(({ latencyMs }) => latencyMs ?? []).sort((one, other) => one - other);
  const atShare = (share: number) => latencies[Math.ceil(latencies.length * share) - 1];
  const health: Health = {
    state,
    since: last?.state === state ? last.since : now,
    latency: { lastMs: pings.at(-1)?.latencyMs, p50Ms: atShare(0.5), p99Ms: atShare(0.99) },
    successRatio: latencies.length / pings.length,
    ...(reason === undefined ? {} : { reason }),
    ...('error' in ping ? { error: ping.error } : {}),
  };
  return { pings, health };
}

/** The thresholds for getting worse and better differ, so that the state does not flap. */
function stateOf(before: Health['state'] | undefined, pings: readonly Judgment[]): Health['state'] {
  const bad = pings.slice(-degradedWindow).filter(({ reason }) => reason !== undefined).length;
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
