// The account's balances from the live connection, as they are polled.
import {
  combineLatest,
  connect,
  distinctUntilChanged,
  map,
  of,
  pipe,
  switchMap,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { valuesEvery, type AccountStatus, type Live } from '../live/index.js';
import type { Balance } from '../model/balance.js';
import type { CollateralBalance } from '../model/collateral-balance.js';
import type { TradeBalance } from '../model/trade-balance.js';
import type { AllBalancesUpdate } from './balance-updates.js';
import { unlessRefused, type Interruption } from './live-or-polls.js';
import type { Poll, PolledValue } from './polls.js';

/** A value of the live connection, or why there is none. */
export type LiveValue<Value> = PolledValue<Value> | Interruption;

/** @param valueOf `undefined`: the value says less than a polled one */
function liveValues<Update extends AccountStatus, Value>(
  everyMs: number,
  valueOf: (update: Update) => Value | undefined,
): OperatorFunction<Update, LiveValue<Value>> {
  return pipe(
    valuesEvery(everyMs),
    map((update): LiveValue<Value> => {
      const value = update.status === 'live' ? valueOf(update) : undefined;
      if (value === undefined) return 'interrupted';
      return { value, ...{ readAt: update.receivedAt, monotonicReadAt: performance.now() } };
    }),
    unlessRefused,
  );
}

export function liveSpotBalance({ my }: Live, everyMs: number): Observable<LiveValue<TradeBalance>> {
  return my.balances().pipe(liveValues(everyMs, ({ balance }) => balance));
}

export function liveCollateralBalance({ my }: Live, everyMs: number): Observable<LiveValue<CollateralBalance>> {
  return my.marginBalances().pipe(
    liveValues(everyMs, ({ balance }): CollateralBalance | undefined => {
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
): Observable<LiveValue<AllBalancesUpdate['balance']>> {
  return combineLatest([liveSpotBalance(live, everyMs), liveCollateralBalance(live, everyMs)]).pipe(
    map(([spot, collateral]) =>
      typeof spot === 'string' || typeof collateral === 'string' ? undefined : { spot, collateral },
    ),
    connect((pushed$) => {
      const polled$ = pushed$.pipe(
        map((pushed) => pushed !== undefined),
        distinctUntilChanged(),
        switchMap((isLive) => (isLive ? main$ : of(undefined))),
      );
      return combineLatest([pushed$, polled$]);
    }),
    map(([pushed, main]): LiveValue<AllBalancesUpdate['balance']> => {
      if (pushed === undefined || main === undefined || 'error' in main) return 'interrupted';
      const { spot, collateral } = pushed;
      return {
        value: { main: main.value, spot: spot.value, collateral: collateral.value },
        readAt: Math.min(main.readAt, spot.readAt, collateral.readAt),
        monotonicReadAt: performance.now(),
      };
    }),
  );
}
