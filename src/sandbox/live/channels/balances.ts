// `balanceSpot` and `balanceMargin`: the balances that have changed, as they are now.
import type { ExchangeState } from '../../http/index.js';
import type { ChannelRules, LiveAccount, Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';

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
    return { everyMs, queries: { request }, open: () => new BalanceSubscription(account, rules) };
  };
}

class BalanceSubscription<Balance> implements Subscription {
  /** `undefined` for every asset. */
  #assets: readonly string[] | undefined = [];
  /** The balances of the subscribed assets that the client knows or has to query, as text. */
  #known = new Map<string, string>();

  constructor(
    private readonly account: LiveAccount,
    private readonly rules: BalanceRules<Balance>,
  ) {}

  /** Replaces the list. Assets that were subscribed before miss no change. */
  subscribe(params: readonly unknown[]): Push[] {
    this.#assets = params.length === 0 ? undefined : assetsIn(this.account, params);
    const before = this.#known;
    this.#known = new Map(
      this.#balances().map(([asset, balance]) => [asset, before.get(asset) ?? JSON.stringify(balance)]),
    );
    return [];
  }

  unsubscribe(): void {
    this.#assets = [];
    this.#known.clear();
  }

  due(): Push[] {
    const changed = this.#balances().filter(([asset, balance]) => this.#known.get(asset) !== JSON.stringify(balance));
    for (const [asset, balance] of changed) this.#known.set(asset, JSON.stringify(balance));
    return changed.length === 0 ? [] : [{ params: this.rules.params(changed) }];
  }

  markets(): string[] {
    return this.#assets?.length === 0 ? [] : this.account.exchange.markets().map(({ listing }) => listing.name);
  }

  #balances(): (readonly [asset: string, balance: Balance])[] {
    const { state, name } = this.account;
    const assets = this.#assets ?? assetsOf(this.account);
    return assets.map((asset) => [asset, this.rules.balanceOf(state.wallets, name, asset)] as const);
  }
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
