// `balanceSpot` and `balanceMargin`: the balances that have changed, as they are now.
import { collateralBalanceOf, spotBalanceOf } from '../../account-values.js';
import type { Channel, LiveAccount, Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';

interface BalanceRules<Balance> {
  readonly channel: string;
  readonly everyMs: number;
  readonly wallet: 'trade' | 'collateral';
  readonly balanceOf: (asset: string) => Balance;
  readonly record: (balance: Balance) => unknown;
  /** The parameters of a message about these balances. */
  readonly params: (changed: readonly (readonly [asset: string, balance: Balance])[]) => readonly unknown[];
}

export function balanceSpotChannel(account: LiveAccount): Channel {
  return balanceChannel(account, {
    channel: 'balanceSpot',
    everyMs: 1000,
    wallet: 'trade',
    balanceOf: (asset) => spotBalanceOf(account.parts, account.name, asset),
    record: (balance) => balance,
    params: (changed) => [Object.fromEntries(changed)],
  });
}

export function balanceMarginChannel(account: LiveAccount): Channel {
  return balanceChannel(account, {
    channel: 'balanceMargin',
    everyMs: 1500,
    wallet: 'collateral',
    balanceOf: (asset) => collateralBalanceOf(account.parts, account.name, asset),
    record: ({ available, ...values }) => {
      return { ...values, available_without_borrow: available, available_with_borrow: available };
    },
    params: (changed) =>
      changed.map(([a, { balance: B, borrow: b, available }]) => ({ a, B, b, av: available, ab: available })),
  });
}

function balanceChannel<Balance>(account: LiveAccount, rules: BalanceRules<Balance>): Channel {
  const { channel: name, everyMs, wallet, balanceOf, record } = rules;
  return {
    name,
    everyMs,
    queries: {
      [`${name}_request`]: (params) => {
        const held = Object.keys(account.parts.books.wallet(account.name, wallet));
        const assets = params.length === 0 ? held : assetsIn(account, params);
        return Object.fromEntries(assets.map((asset) => [asset, record(balanceOf(asset))]));
      },
    },
    open: () => new BalanceSubscription(account, rules),
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
    const changed = this.#balances().filter(([asset, balance]) => {
      const text = JSON.stringify(balance);
      const isChanged = this.#known.get(asset) !== text;
      this.#known.set(asset, text);
      return isChanged;
    });
    return changed.length === 0 ? [] : [{ channel: this.rules.channel, params: this.rules.params(changed) }];
  }

  markets(): string[] {
    return this.#assets?.length === 0 ? [] : this.account.exchange.markets().map(({ listing }) => listing.name);
  }

  #balances(): (readonly [asset: string, balance: Balance])[] {
    return (this.#assets ?? assetsOf(this.account)).map((asset) => [asset, this.rules.balanceOf(asset)] as const);
  }
}

/** Every asset that is traded or that an account has. */
function assetsOf({ exchange, parts }: LiveAccount): string[] {
  const traded = exchange.markets().flatMap(({ listing: { stock, money } }) => [stock, money]);
  return [...new Set([...traded, ...parts.books.assets()])];
}

/** The known assets that a request names; throws a rejection for another one. */
function assetsIn(account: LiveAccount, params: readonly unknown[]): string[] {
  const known = assetsOf(account);
  const named = known.filter((asset) => params.includes(asset));
  if (named.length !== new Set(params).size) throw invalidArgument();
  return named;
}
