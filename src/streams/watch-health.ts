// The exchange's health, watched by a stream of pings.
import {
  catchError,
  defer,
  EMPTY,
  ignoreElements,
  map,
  merge,
  of,
  ReplaySubject,
  scan,
  share,
  tap,
  type Observable,
} from 'rxjs';
import {
  anObservable,
  checkByRules,
  count,
  durationAbove0,
  isExchangeError,
  type OptionRules,
  RequestError,
} from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { poll, type PollOptions } from '../operators/index.js';
import {
  addPing,
  isKeptBack,
  judged,
  type Health,
  type HealthRecord,
  type HealthThresholds,
  type Ping,
} from './health.js';
import { OtherRequests } from './other-requests.js';

/** Options of {@link watchHealth}. */
export interface WatchHealthOptions extends Partial<HealthThresholds>, Pick<PollOptions, 'pauseWhile'> {
  /** The pause between two pings, milliseconds, above 0. Default 1000. */
  readonly everyMs?: number;
  /**
   * A ping that is not answered in this time has failed, milliseconds; nor is it sent when it waited so long for its
   * permit. Above 0. Default 5000.
   */
  readonly timeoutMs?: number;
}

const rules: OptionRules<WatchHealthOptions> = {
  everyMs: durationAbove0,
  timeoutMs: durationAbove0,
  pauseWhile: anObservable,
  slowMs: durationAbove0,
  downAfter: count(),
  degradedAfter: count(1, judged),
  upAfter: count(),
  window: count(),
};

/**
 * Watches the exchange's health: pings it, and emits how it is doing after every ping. A failed ping does not end the
 * stream. Subscribers to the same observable share its pings, a late one gets the last health at once, and the last to
 * leave stops them.
 *
 * One bad ping of many changes nothing. Two of the last ten make it `degraded`, three that failed in a row `down`; it
 * is `up` again when the last three were good, and fewer than two of the last ten were not. The time that a ping waits
 * for our own limit is not latency. A ping that waits for `timeoutMs` is not sent: it has failed when none of the
 * client's other requests was answered meanwhile, and says nothing otherwise.
 *
 * Throws {@link RequestError} for bad options.
 *
 * `GET /api/v4/public/ping` · public · limit group `public`, 2000 requests / 10 s. A ping is not repeated after 503:
 * that would hide it.
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
 */
export function watchHealth(
  exchange: Pick<Exchange, 'public'> & Partial<Pick<Exchange, 'events$'>>,
  options: WatchHealthOptions = {},
): Observable<Health> {
  checkByRules('watchHealth', options, rules);
  const {
    everyMs = 1000,
    timeoutMs = 5000,
    pauseWhile,
    slowMs = 1000,
    downAfter = 3,
    degradedAfter = 2,
    upAfter = 3,
    window = 60,
  } = options;
  const thresholds: HealthThresholds = { slowMs, downAfter, degradedAfter, upAfter, window };

  const ping$ = defer(() => {
    let latencyMs = 0;
    const pong$ = exchange.public.ping({
      retry: false,
      // Behind the client's other requests a ping would say nothing of the exchange: it has permits and room of its
      // own.
      priority: 'urgent',
      timeoutMs,
      validForMs: timeoutMs,
      onEvent: (event) => {
        if (event.type === 'response') latencyMs = event.durationMs;
      },
    });
    return pong$.pipe(map((): Ping => ({ latencyMs })));
  });
  return defer(() => {
    const others = new OtherRequests(timeoutMs, downAfter);
    const listening$ = (exchange.events$ ?? EMPTY).pipe(
      tap((event) => {
        others.add(event);
      }),
      ignoreElements(),
    );
    const judgedPing$ = ping$.pipe(
      catchError((error: unknown) => of(failedPing(error))),
      map((ping) => {
        const othersMet = others.verdict();
        return 'error' in ping && isKeptBack(ping.error) ? { ...ping, othersMet } : ping;
      }),
    );
    return merge(listening$, judgedPing$.pipe(poll({ everyMs, ...(pauseWhile === undefined ? {} : { pauseWhile }) })));
  }).pipe(
    scan<Ping, HealthRecord, undefined>((record, ping) => addPing(record, ping, thresholds, Date.now()), undefined),
    map(({ health }) => health),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

/** Failures of the exchange are values of the stream; a fault of the program is not hidden. */
function failedPing(error: unknown): Ping {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { error };
}
