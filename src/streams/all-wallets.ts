// watchBalance() of all wallets together.
import { forkJoin, type Observable } from 'rxjs';
import type { Exchange } from '../exchange.js';
import type { Live } from '../live/index.js';
import type { AllBalancesUpdate, BalanceChange, SpotBalanceChange, WalletName } from './balance-updates.js';
import { liveAllBalances } from './live-balances.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { polls, type PollsOptions } from './polls.js';
import { collateralWallet, mainWallet, nextWallet, nothing, spotWallet, type WalletState } from './wallets.js';

type AllBalances = Omit<AllBalancesUpdate, keyof StateUpdate>;

/** The three wallets, read together. */
export function watchAll(
  { account, spot, collateral }: Pick<Exchange, 'account' | 'spot' | 'collateral'>,
  options: PollsOptions,
  live: Live | undefined,
): Observable<AllBalancesUpdate> {
  // A pause leaves the live connection, and these polls with it.
  const { pauseWhile: _, ...whenever } = options;
  return polledState<AllBalances['balance'], AllBalances>(
    {
      read: (call) =>
        forkJoin({
          main: account.mainBalance(call),
          spot: spot.balance(call),
          collateral: collateral.balance({}, call),
        }),
      nothing: { ...nothing, balance: { main: {}, spot: {}, collateral: {} } },
      next: nextOfAll,
      live$:
        live &&
        liveAllBalances(
          live,
          options.everyMs,
          polls((call) => account.mainBalance(call), whenever),
        ),
    },
    options,
  );
}

function nextOfAll(polled: AllBalances['balance'], last: AllBalances | undefined): AllBalances {
  const staleIn = (wallet: WalletName) =>
    (last?.staleAssets ?? []).filter((one) => one.wallet === wallet).map(({ asset }) => asset);
  const lastOf = <Name extends WalletName>(wallet: Name) =>
    last === undefined ? undefined : { balance: last.balance[wallet], staleAssets: staleIn(wallet) };
  const main = nextWallet(mainWallet, polled.main, lastOf('main'));
  const spot = nextWallet(spotWallet, polled.spot, lastOf('spot'));
  const collateral = nextWallet(collateralWallet, polled.collateral, lastOf('collateral'));
  const parts = [inWallet('main', main), inWallet('spot', spot), inWallet('collateral', collateral)];
  return {
    balance: { main: main.balance, spot: spot.balance, collateral: collateral.balance },
    changes: parts.flatMap(({ changes }) => changes),
    staleAssets: parts.flatMap(({ staleAssets }) => staleAssets),
  };
}

function inWallet(
  wallet: WalletName,
  { changes, staleAssets }: WalletState<unknown, BalanceChange | SpotBalanceChange>,
): Pick<AllBalances, 'changes' | 'staleAssets'> {
  return {
    changes: changes.map((change) => ({ ...change, wallet })),
    staleAssets: staleAssets.map((asset) => ({ wallet, asset })),
  };
}
