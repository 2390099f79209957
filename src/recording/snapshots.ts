// What a recording reads over REST: rules, fees, and the state of the markets when it starts, and the books as an audit.
import { catchError, defer, EMPTY, map, of, retry, throwError, timer, type Observable } from 'rxjs';
import * as v from 'valibot';
import { defineEndpoint, filledPath, type Endpoint } from '../endpoint/index.js';
import { groups } from '../endpoints/index.js';
import { isExchangeError, responseBodyOf } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { RecordedRest } from './line.js';

/** A public endpoint, and the parameters of the request. */
export interface Snapshot {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string | number>>;
}

const { assetFees, assets, candles, futuresMarkets, markets, orderBook, recentTrades } = groups.public;
/** A request without a response is sent again after this time, until it has one. */
const retryMs = 30_000;
const anyParams = v.record(v.string(), v.union([v.string(), v.number()]));
const intervals = ['1m', '1h', '1d'] as const;

/** What is read when a recording starts. */
export function startSnapshots(names: readonly string[]): readonly Snapshot[] {
  const all = [markets, assets, assetFees, futuresMarkets].map((endpoint) => ({ endpoint, params: {} }));
  const each = names.flatMap((market) => [
    { endpoint: recentTrades, params: { market } },
    ...intervals.map((interval) => ({ endpoint: candles, params: { market, interval } })),
  ]);
  return [...all, ...each];
}

/** The order book of a market. */
export function bookSnapshot(market: string): Snapshot {
  return { endpoint: orderBook, params: { market, limit: 100 } };
}

/** Reads a snapshot. Emits the response, whatever its status is. */
export function readSnapshot(exchange: Exchange, snapshot: Snapshot, now: () => number): Observable<RecordedRest> {
  return defer(() => {
    const sentAt = now();
    const path = pathOf(snapshot);
    return responseOf(exchange, snapshot).pipe(
      map((response) => ({ t: now(), k: 'rest' as const, path, sentAt, ...response })),
    );
  });
}

/** Retries requests without a response. */
export function untilRead(read$: Observable<RecordedRest>): Observable<RecordedRest> {
  return read$.pipe(retry({ delay: () => timer(retryMs) }));
}

/** Completes without a response when there is none: the next audit is soon. */
export function ifRead<One>(read$: Observable<One>): Observable<One> {
  return read$.pipe(catchError(() => EMPTY));
}

function responseOf(exchange: Exchange, { endpoint, params }: Snapshot) {
  const { name, method, path, rateLimits, maxResponseParts } = endpoint;
  // As the exchange sent it: neither checked, nor shortened to what this version knows.
  const raw = defineEndpoint({
    ...{ name, method, path, rateLimit: rateLimits, safety: 'read', authentication: 'none' },
    ...(maxResponseParts === undefined ? {} : { maxResponseParts }),
    ...{ request: anyParams, response: v.unknown() },
  });
  return exchange.call(raw, params).pipe(
    map((value) => ({ status: 200, body: JSON.stringify(value) })),
    catchError((error: unknown) =>
      isExchangeError(error) && 'status' in error
        ? of({ status: error.status, body: responseBodyOf(error) ?? '' })
        : throwError(() => error),
    ),
  );
}

function pathOf({ endpoint, params }: Snapshot): string {
  const path = filledPath(endpoint.path, (name) => encodeURIComponent(params[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (!endpoint.path.includes(`{${name}}`)) query.append(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
