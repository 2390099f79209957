// `balanceSpot` and `balanceMargin`: the balances that have changed, as they are now.
import type { ExchangeState } from '../../http/index.js';
import type { ChannelRules, LiveAccount, Subscription } from '../channel.js';
import { invalidArgument } from '../envelope.js';

interface BalanceRules<Balance> {
  readonly everyMs: number;
  readonly wallet: 'trade' | 'collateral';
  readonly balanceOf: (wallets: ExchangeState['wallets'], account: string, asset: string) => Balance;
  readonly record: (balance: Balance) => unknown;
  readonly params: (changed: readonly (readonly [asset: string, balance: Balance])[]) => readonly unknown[];
}

export const balanceSpot = balanceChannel({
  everyMs: 1000,
  wallet: 'trade',
  balanceOf: (wallets, ...of) => wallets.spot(...of),
  record: (balance) => balance,
  params: (changed) => [Object.fromEntries(changed)],
});

export const balanceMargin = balanceChannel({
  everyMs: 1500,
  wallet: 'collateral',
  balanceOf: (wallets, ...of) => wallets.collateral(...of),
  record: ({ available, ...values }) => {
    return { ...values, available_without_borrow: available, available_with_borrow: available };
  },
  params: (changed) =>
    changed.map(([a, { balance: B, borrow: b, available }]) => ({ a, B, b, av: available, ab: available })),
});

function balanceChannel<Balance>(rules: BalanceRules<Balance>): (account: LiveAccount) => ChannelRules {
  const { everyMs, wallet, balanceOf, record } = rules;
  return (account) => {
    const { state, name } = account;
    const request = (params: readonly unknown[]) => {
      const assets = params.length === 0 ? Object.keys(state.books.wallet(name, wallet)) : assetsIn(account, params);
      return Object.fromEntries(assets.map((asset) => [asset, record(balanceOf(state.wallets, name, asset))]));
    };
    return { everyMs, queries: { request }, open: () => balanceSubscription(account, rules) };
  };
}

function balanceSubscription<Balance>(account: LiveAccount, rules: BalanceRules<Balance>): Subscription {
  const { exchange, state, name } = account;
  /** `undefined` for every asset. */
  let assets: readonly string[] | undefined = [];
  /** The balances of the subscribed assets that the client knows or has to query, as text. */
  let known = new Map<string, string>();
  const balances = () =>
    (assets ?? assetsOf(account)).map((asset) => [asset, rules.balanceOf(state.wallets, name, asset)] as const);
  return {
    /** Replaces the list. Assets that were subscribed before miss no change. */
    subscribe(params) {
      assets = params.length === 0 ? undefined : assetsIn(account, params);
      known = new Map(balances().map(([asset, balance]) => [asset, known.get(asset) ?? JSON.stringify(balance)]));
      return [];
    },
    unsubscribe() {
      assets = [];
      known.clear();
    },
    due() {
      const changed = balances().filter(([asset, balance]) => known.get(asset) !== JSON.stringify(balance));
      for (const [asset, balance] of changed) known.set(asset, JSON.stringify(balance));
      return changed.length === 0 ? [] : [{ params: rules.params(changed) }];
    },
    markets: () => (assets?.length === 0 ? [] : exchange.markets().map(({ listing }) => listing.name)),
  };
}

function assetsOf({ exchange, state }: LiveAccount): string[] {
  const traded = exchange.markets().flatMap(({ listing: { stock, money } }) => [stock, money]);
  return [...new Set([...traded, ...state.books.assets()])];
}

function assetsIn(account: LiveAccount, params: readonly unknown[]): string[] {
  const named = assetsOf(account).filter((asset) => params.includes(asset));
  if (named.length !== new Set(params).size) throw invalidArgument();
  return named;
}
