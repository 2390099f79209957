// The exchange's health, as a stream of pings sees it.
import { catchError, defer, map, of, ReplaySubject, scan, share, type Observable } from 'rxjs';
import { isExchangeError, type AnyExchangeError } from '../errors.js';
import type { Exchange } from '../exchange.js';
import { poll } from '../operators/index.js';

export interface WatchHealthOptions {
  /** The pause between two pings, milliseconds. Default 1000. */
  readonly everyMs?: number;
  /** A ping that takes longer makes the exchange `degraded`, milliseconds. Default 1000. */
  readonly slowMs?: number;
  /** This many failed pings in a row make it `down`; fewer make it `degraded`. Default 3. */
  readonly downAfter?: number;
}

/** How the exchange is doing. */
export interface Health {
  readonly state: 'up' | 'degraded' | 'down';
  /** Since when it has been in this state, Unix ms. */
  readonly since: number;
  /** How long the last ping took, milliseconds, when it was answered. The time that a ping waited for its permit counts. */
  readonly latencyMs?: number;
  /** How many pings in a row failed. */
  readonly consecutiveFailures: number;
  /** Why it is not up. */
  readonly reason?: 'slow' | AnyExchangeError['kind'];
}

type Ping = { readonly latencyMs: number } | { readonly error: AnyExchangeError };

/**
 * Watches the exchange's health: pings it, and emits the state after every ping. A failed ping does not end the stream. Subscribers to
 * the same observable share its pings, a late one gets the last state at once, and the last to leave stops them.
 *
 * `GET /api/v4/public/ping` · public · limit group `public`, 2000 requests / 10 s. A ping is not repeated after 503: that would hide it.
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
 *   .subscribe(({ state, latencyMs }) => console.log(state, latencyMs));
 * ```
 */
export function watchHealth(
  exchange: Pick<Exchange, 'public'>,
  { everyMs = 1000, slowMs = 1000, downAfter = 3 }: WatchHealthOptions = {},
): Observable<Health> {
  const ping$ = defer(() => {
    const startedAt = performance.now();
    return exchange.public.ping(undefined, { retry: false }).pipe(map((): Ping => ({ latencyMs: performance.now() - startedAt })));
  });
  return ping$.pipe(
    catchError((error: unknown) => of(failedPing(error))),
    poll({ everyMs }),
    scan<Ping, Health, undefined>((last, ping) => {
      const failures = 'error' in ping ? (last?.consecutiveFailures ?? 0) + 1 : 0;
      const verdict = judge(ping, failures, slowMs, downAfter);
      const since = verdict.state === last?.state ? last.since : Date.now();
      return { ...verdict, since, consecutiveFailures: failures };
    }, undefined),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

function judge(ping: Ping, failures: number, slowMs: number, downAfter: number): Pick<Health, 'state' | 'latencyMs' | 'reason'> {
  if ('error' in ping) return { state: failures >= downAfter ? 'down' : 'degraded', reason: ping.error.kind };
  const { latencyMs } = ping;
  return latencyMs > slowMs ? { state: 'degraded', latencyMs, reason: 'slow' } : { state: 'up', latencyMs };
}

/** Failures of the exchange are values of the stream; a fault of the program is not hidden. */
function failedPing(error: unknown): Ping {
  if (!isExchangeError(error)) throw error;
  return { error };
}
