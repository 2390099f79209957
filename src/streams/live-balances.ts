// The balances of the account from the live connection.
import {
  catchError,
  combineLatest,
  connect,
  distinctUntilChanged,
  map,
  of,
  pipe,
  switchMap,
  throwError,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { isExchangeError } from '../errors/index.js';
import { valuesEvery, type AccountStatus, type Live } from '../live/index.js';
import type { Balance } from '../model/balance.js';
import type { CollateralBalance } from '../model/collateral-balance.js';
import type { TradeBalance } from '../model/trade-balance.js';
import type { AllBalancesUpdate } from './balance-updates.js';
import type { Push } from './live-or-polls.js';
import type { Poll } from './polls.js';

export function liveSpotBalance({ my }: Live, everyMs: number): Observable<Push<TradeBalance>> {
  return my.balances().pipe(pushes(everyMs, ({ balance }) => balance));
}

export function liveCollateralBalance({ my }: Live, everyMs: number): Observable<Push<CollateralBalance>> {
  return my.marginBalances().pipe(
    pushes(everyMs, ({ balance }): CollateralBalance | undefined => {
      const amounts = Object.values(balance).flatMap(({ asset, balance: amount }) =>
        amount === undefined ? [] : [[asset, amount] as const],
      );
      return amounts.length < Object.keys(balance).length ? undefined : Object.fromEntries(amounts);
    }),
  );
}

/**
 * The main balance is polled again when the other ones are live again: an older one would take back what polls of all
 * wallets have shown meanwhile.
 *
 * @param main$ polls: the exchange does not push the main balance
 */
export function liveAllBalances(
  live: Live,
  everyMs: number,
  main$: Observable<Poll<Balance>>,
): Observable<Push<AllBalancesUpdate['balance']>> {
  return combineLatest([liveSpotBalance(live, everyMs), liveCollateralBalance(live, everyMs)]).pipe(
    connect((pushed$) => {
      const polled$ = pushed$.pipe(
        map(([spot, collateral]) => spot.kind === 'live' && collateral.kind === 'live'),
        distinctUntilChanged(),
        switchMap((isLive) => (isLive ? main$ : of(undefined))),
      );
      return combineLatest([pushed$, polled$]);
    }),
    map(([[spot, collateral], main]): Push<AllBalancesUpdate['balance']> => {
      if (spot.kind !== 'live' || collateral.kind !== 'live' || main?.kind !== 'polled') return { kind: 'interrupted' };
      return {
        kind: 'live',
        value: { main: main.value, spot: spot.value, collateral: collateral.value },
        readAt: Math.min(main.readAt, spot.readAt, collateral.readAt),
        monotonicReadAt: performance.now(),
      };
    }),
  );
}

/**
 * An account whose connection the exchange refuses has no live values: the polls report what they make of it.
 *
 * @param valueOf `undefined`: the value says less than a polled one
 */
function pushes<Update extends AccountStatus, Value>(
  everyMs: number,
  valueOf: (update: Update) => Value | undefined,
): OperatorFunction<Update, Push<Value>> {
  return pipe(
    valuesEvery(everyMs),
    map((update): Push<Value> => {
      const value = update.status === 'live' ? valueOf(update) : undefined;
      if (value === undefined) return { kind: 'interrupted' };
      return { kind: 'live', value, readAt: update.receivedAt, monotonicReadAt: performance.now() };
    }),
    catchError((error: unknown) =>
      isExchangeError(error) ? of<Push<Value>>({ kind: 'interrupted' }) : throwError(() => error),
    ),
  );
}
