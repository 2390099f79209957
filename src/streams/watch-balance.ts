// The main balance, watched: polled, and told when it changes.
import { catchError, defer, distinctUntilChanged, map, of, scan, share, ReplaySubject, type Observable } from 'rxjs';
import { isExchangeError, type AnyExchangeError } from '../errors.js';
import type { Exchange } from '../exchange.js';
import type { Balance } from '../model/balance.js';
import { decimal, formatDecimal } from '../model/decimal.js';
import { poll } from '../operators/index.js';

export interface WatchBalanceOptions {
  /** The pause between two polls, milliseconds. Default 5000. */
  readonly everyMs?: number;
}

/** How one asset's balance changed. All are decimal strings. */
export interface BalanceDelta {
  readonly asset: string;
  readonly before: string;
  readonly after: string;
  /** `after` minus `before`. */
  readonly delta: string;
}

/** The balance as it is known now. */
export interface BalanceUpdate {
  /** What the account holds; empty before the first poll succeeded. */
  readonly balance: Balance;
  /** What changed since the update before; an asset that the exchange leaves out now has gone to `"0"`. */
  readonly changes: readonly BalanceDelta[];
  /** Whether the last poll failed, so that the balance may have changed since. */
  readonly stale: boolean;
  /** Why the last poll failed. */
  readonly error?: AnyExchangeError;
}

type Poll = { readonly balance: Balance } | { readonly error: AnyExchangeError };

/**
 * Watches the main balance: emits after the first poll, then when the balance changed, and when a poll fails or succeeds again. A poll
 * that fails does not end the stream; it marks the balance as stale. Subscribers to the same observable share its polls, a late one gets
 * the last update at once, and the last to leave stops them.
 *
 * `POST /api/v4/main-account/balance` · private · limit group `mainBalance`, 1000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange, watchBalance } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchBalance(exchange, { everyMs: 1000 })
 *   .pipe(take(1))
 *   .subscribe(({ changes }) => changes.forEach(({ asset, delta }) => console.log(asset, delta)));
 * ```
 */
export function watchBalance(exchange: Pick<Exchange, 'account'>, { everyMs = 5000 }: WatchBalanceOptions = {}): Observable<BalanceUpdate> {
  const nothing: BalanceUpdate = { balance: {}, changes: [], stale: false };
  return defer(() => exchange.account.mainBalance(undefined, { priority: 'background' })).pipe(
    map((balance): Poll => ({ balance })),
    catchError((error: unknown) => of(failedPoll(error))),
    poll({ everyMs }),
    scan(updateOf, nothing),
    distinctUntilChanged((before, after) => after.changes.length === 0 && before.stale === after.stale),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

function updateOf(last: BalanceUpdate, poll: Poll): BalanceUpdate {
  if ('error' in poll) return { balance: last.balance, changes: [], stale: true, error: poll.error };
  return { balance: poll.balance, changes: deltas(last.balance, poll.balance), stale: false };
}

function deltas(before: Balance, after: Balance): BalanceDelta[] {
  const assets = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...assets]
    .map((asset): BalanceDelta => {
      const was = decimal(before[asset]?.main_balance ?? '0');
      const is = decimal(after[asset]?.main_balance ?? '0');
      return { asset, before: formatDecimal(was), after: formatDecimal(is), delta: formatDecimal(is.minus(was)) };
    })
    .filter(({ delta }) => delta !== '0');
}

/** Failures of the exchange are values of the stream; a fault of the program is not hidden. */
function failedPoll(error: unknown): Poll {
  if (!isExchangeError(error)) throw error;
  return { error };
}
