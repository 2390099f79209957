// The lines of a recording as they come: what the sockets send and receive, and what is read and noticed beside it.
import { defer, exhaustMap, from, ignoreElements, map, merge, mergeMap, timer, type Observable } from 'rxjs';
import * as v from 'valibot';
import type { CallEvent } from '../client/index.js';
import { oneOf, optionsOf, parse, withMethods } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { someMarkets, type TappedLive } from '../live/index.js';
import type { RecordedLine } from './line.js';
import { bookSnapshot, ifRead, readSnapshot, startSnapshots, untilRead } from './snapshots.js';

/** The channels that can be recorded: members of `exchange.live`. The first five are the default. */
export const recordedChannels = [
  ...(['orderBook', 'trades', 'bookTicker', 'ticker', 'premiumIndex'] as const),
  ...(['lastPrice', 'today'] as const),
] as const;

/** A channel that can be recorded: a member of `exchange.live`. */
export type RecordedChannel = (typeof recordedChannels)[number];

/** Those of a recording whose options name none. */
export const defaultChannels: readonly RecordedChannel[] = recordedChannels.slice(0, 5);

/** Options of {@link liveLines}. */
export interface LiveLinesOptions {
  /** The markets, `BASE_QUOTE`: at least one. */
  readonly markets: readonly string[];
  /**
   * The channels: members of `exchange.live`. Default: `orderBook`, `trades`, `bookTicker`, `ticker`, and `premiumIndex`
   * of the perpetuals.
   */
  readonly channels?: readonly RecordedChannel[];
}

/** What {@link LiveLinesOptions} may be. */
export const liveLinesFields = {
  markets: someMarkets,
  channels: v.pipe(v.array(oneOf(...recordedChannels)), v.nonEmpty('must be an array of at least one channel')),
};
const liveLinesOptions = optionsOf<LiveLinesOptions>(liveLinesFields, ['markets']);

/** What can be recorded. */
export const aClient = withMethods<Exchange['live']>('a client made by createExchange', 'tapped');

const pingMs = 30_000;
/** The requests of the start would delay the first ping. */
const firstPingMs = 3000;
const clockMs = 60_000;
const auditMs = 60_000;
/** Requests at once, at the start. */
const maxRequests = 4;

/**
 * The lines that `record` writes, as they come, for programs that keep them elsewhere. Cold: each subscription opens
 * connections of its own, without credentials, and recovers them; it never completes. It has no `run` and no `stop` line.
 *
 * Throws {@link RequestError} for invalid options. Fails with {@link LiveRefusedError} for a market that the exchange
 * does not list.
 *
 * @param exchange the client
 * @param options what is received
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 * import { liveLines } from 'exchange-rx/recording';
 *
 * const printFrames = (exchange: Exchange) =>
 *   liveLines(exchange, { markets: ['BTC_USDT'] }).subscribe((line) => {
 *     if (line.k === 'frame') console.log(line.t, line.d);
 *   });
 * ```
 */
export function liveLines(exchange: Exchange, options: LiveLinesOptions): Observable<RecordedLine> {
  const parsed = parse('liveLines', liveLinesOptions, options);
  parse('liveLines', aClient, exchange.live, 'exchange');
  return defer(() => {
    const { sockets$, others$ } = tapLines(exchange, parsed, () => tenths(monotonicMs()));
    return merge(sockets$, others$);
  });
}

/** The lines of a client, by what makes them. */
export interface TappedLines {
  /** The address of the connections. */
  readonly host: string;
  /** What is sent and received. Hot: it opens no connection, and has the end of the last one. */
  readonly sockets$: Observable<RecordedLine>;
  /** Keeps the channels subscribed, and emits the lines beside the frames. Subscribe once. */
  readonly others$: Observable<RecordedLine>;
}

/** @param now the time of the lines */
export function tapLines(
  exchange: Exchange,
  { markets, channels = defaultChannels }: LiveLinesOptions,
  now: () => number,
): TappedLines {
  const live = exchange.live.tapped();
  const { origin, pathname } = new URL(live.url);
  // A query may hold a secret.
  const host = `${origin}${pathname}`;
  const gap$ = live.events$.pipe(
    mergeMap((event) => {
      if (event.type !== 'live-gap') return [];
      const { channel, market, reason } = event;
      return [{ t: now(), k: 'gap', channel, reason, ...(market === undefined ? {} : { market }) } as const];
    }),
  );
  const snapshots$ = merge(
    from(startSnapshots(markets)).pipe(mergeMap((one) => untilRead(readSnapshot(exchange, one, now)), maxRequests)),
    timer(0, auditMs).pipe(
      exhaustMap(() => markets),
      mergeMap((market) => ifRead(readSnapshot(exchange, bookSnapshot(market), now)), maxRequests),
    ),
  );
  return {
    host,
    sockets$: live.sockets$.pipe(
      map((event) => (event.k === 'open' ? { t: now(), ...event, url: host } : { t: now(), ...event })),
    ),
    others$: merge(
      timer(0, clockMs).pipe(map(() => ({ t: now(), k: 'clock', wall: Date.now() }) as const)),
      gap$,
      snapshots$,
      timer(firstPingMs, pingMs).pipe(exhaustMap(() => ifRead(pingOf(exchange, now)))),
      itemsOf(live, markets, channels).pipe(ignoreElements()),
    ),
  };
}

/** Unix ms by a clock that nobody sets. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Tenths of a millisecond are more than timers and networks keep. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** The round trip of a request that does nothing, without the time that it waits for a permit. */
function pingOf(exchange: Exchange, now: () => number): Observable<RecordedLine> {
  let ms = 0;
  const onEvent = (event: CallEvent) => {
    if (event.type === 'response') ms = event.durationMs;
  };
  return exchange.public.ping({ retry: false, onEvent }).pipe(map(() => ({ t: now(), k: 'ping', ms: tenths(ms) })));
}

/** Keeps the channels subscribed, and recovers them. */
function itemsOf(
  live: TappedLive,
  markets: readonly string[],
  channels: readonly RecordedChannel[],
): Observable<unknown> {
  const perpetuals = markets.filter((market) => market.endsWith('_PERP'));
  return merge(
    ...channels.map((channel) => {
      if (channel === 'orderBook') return merge(...markets.map((market) => live.orderBook({ market })));
      const of = channel === 'premiumIndex' ? perpetuals : markets;
      return of.length === 0 ? [] : live[channel]({ markets: of });
    }),
  );
}
