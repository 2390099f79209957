// Streams of values that replace each other, such as prices: the last value, and whether it is still true.
import { Observable, share } from 'rxjs';
import type { KeySubscriptions } from './channel.js';
import { LiveRefusedError, type AnyExchangeError } from '../errors/index.js';
import type { Refusal } from './connection/index.js';

/** What every value of a live state has. */
export interface LiveStatus {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /**
   * `live`: the value is the newest that the exchange has pushed. `stale`: the connection was lost, the subscription is
   * silent, or a newer value was unreadable. The next value is live again.
   */
  readonly status: 'live' | 'stale';
  /** When the value was received, Unix ms by this machine's clock. */
  readonly receivedAt: number;
}

/** Makes the error that ends the stream of a market, or of a channel without markets, that the exchange refuses. */
export type RefusedError = (key: string | undefined, refusal: Refusal) => AnyExchangeError;

/** @param name name of the channel */
export function refusedBy(name: string): RefusedError {
  return (key, { code, message, error }) => error ?? new LiveRefusedError(name, code, message, key);
}

/** How a stream of values is made of the items of a channel. */
export interface ValueSource<Value extends object> {
  /** Name in errors, such as `live.lastPrice`. */
  readonly name: string;
  readonly subscriptions: KeySubscriptions<Value>;
  /** Whether a value is older than the last one, or says the same. */
  readonly isOld?: (value: Value, last: Value) => boolean;
}

/** Markets of the key of all: far more than the exchange has. */
const maxMarkets = 10_000;

/** The values of a key. Subscribers share one subscription; a late one gets the last value of each market at once. */
export function stateStream<Value extends object>(
  { name, subscriptions, isOld = () => false }: ValueSource<Value>,
  key: string,
): Observable<Value & LiveStatus> {
  /** The last values of the subscription, by market: the key of all markets has many. */
  let current: ReadonlyMap<string, Value & LiveStatus> = new Map();
  const later$ = new Observable<Value & LiveStatus>((subscriber) => {
    const last = new Map<string, Value & LiveStatus>();
    current = last;
    const end = subscriptions.follow(key, {
      isState: true,
      onSubscribed: () => undefined,
      onItem(value, market) {
        const before = last.get(market);
        if (before?.status === 'live' && isOld(value, before)) return;
        if (before === undefined && last.size >= maxMarkets) return;
        const next: Value & LiveStatus = { ...value, market, status: 'live', receivedAt: Date.now() };
        last.set(market, next);
        subscriber.next(next);
      },
      onInterrupted(_, only) {
        for (const [market, value] of last) {
          if (value.status === 'stale' || (only ?? market) !== market) continue;
          const stale: Value & LiveStatus = { ...value, status: 'stale' };
          last.set(market, stale);
          subscriber.next(stale);
        }
      },
      onRefused(refusal) {
        last.clear();
        subscriber.error(refusedBy(name)(key, refusal));
      },
    });
    return () => {
      end();
      last.clear();
    };
  }).pipe(share());
  return new Observable((subscriber) => {
    for (const value of [...current.values()]) subscriber.next(value);
    return subscriber.closed ? undefined : later$.subscribe(subscriber);
  });
}
