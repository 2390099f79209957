// watchHealth(): polls the exchange with pings and emits its health.
import { catchError, defer, map, of, ReplaySubject, scan, share, type Observable } from 'rxjs';
import {
  anObservable,
  count,
  durationAbove0,
  isExchangeError,
  optionsOf,
  parse,
  RequestError,
} from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { poll, type PollOptions } from '../operators/index.js';
import {
  addPing,
  maxDegradedPings,
  type Health,
  type HealthRecord,
  type HealthThresholds,
  type Ping,
} from './health.js';

/** Options of {@link watchHealth}. */
export interface WatchHealthOptions extends Partial<HealthThresholds>, Pick<PollOptions, 'pauseWhile'> {
  /**
   * The pause between two pings, milliseconds, above 0.
   *
   * @default 1000
   */
  readonly everyMs?: number;
  /**
   * A ping without a response after this time has failed, milliseconds, above 0. A ping that waits for its permit for
   * this time is not sent.
   *
   * @default 5000
   */
  readonly timeoutMs?: number;
}

const healthOptions = optionsOf<WatchHealthOptions>({
  everyMs: durationAbove0,
  timeoutMs: durationAbove0,
  pauseWhile: anObservable(),
  slowMs: durationAbove0,
  downAfter: count(),
  degradedAfter: count(1, maxDegradedPings),
  upAfter: count(),
});

/**
 * Pings the exchange and emits its health after every ping. A failed ping does not end the stream. Subscribers of the
 * same observable share its pings, a late subscriber gets the last health at once, and the last one to unsubscribe
 * stops the pings.
 *
 * One bad ping changes nothing. By default, two failed or slow pings of the last ten make the exchange `degraded`,
 * three consecutive failures make it `down`. It is `up` again after three good pings in a row, when fewer than two of
 * the last ten were bad.
 *
 * Latency does not include the wait for a permit. A ping that waits for `timeoutMs` is not sent, and does not make the
 * exchange `down`.
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
  const {
    everyMs = 1000,
    timeoutMs = 5000,
    pauseWhile,
    slowMs = 1000,
    downAfter = 3,
    degradedAfter = 2,
    upAfter = 3,
  } = parse('watchHealth', healthOptions, options);
  const thresholds: HealthThresholds = { slowMs, downAfter, degradedAfter, upAfter };

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
    poll({ everyMs, ...(pauseWhile === undefined ? {} : { pauseWhile }) }),
    scan<Ping, HealthRecord, undefined>((record, ping) => addPing(record, ping, thresholds, Date.now()), undefined),
    map(({ health }) => health),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

/** Failures of requests are values of the stream; a bug of the program ends it. */
function failedPing(error: unknown): Ping {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { error };
}
