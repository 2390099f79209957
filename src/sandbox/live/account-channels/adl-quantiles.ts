// `ADLQuantile`: the ranks of the account's positions for deleveraging, at once and every 30 s.
import type { Channel, Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveAccount } from './live-account.js';

export function adlQuantileChannel(account: LiveAccount): Channel {
  return {
    name: 'ADLQuantile',
    everyMs: 30_000,
    queries: {},
    open: () => new AdlQuantileSubscription(account),
  };
}

class AdlQuantileSubscription implements Subscription {
  /** Without a market: the perpetuals in which the account has a position. */
  #scope: { readonly market?: string } | undefined;

  constructor(private readonly account: LiveAccount) {}

  /** Replaces the scope. */
  subscribe(params: readonly unknown[]): Push[] {
    this.#scope = params.length === 0 ? {} : { market: this.#perpetual(params) };
    return this.due();
  }

  unsubscribe(): void {
    this.#scope = undefined;
  }

  due(): Push[] {
    if (this.#scope === undefined) return [];
    const { parts, name } = this.account;
    const { market: wanted } = this.#scope;
    const ranks = parts.engine.collateral.adlQuantiles(name);
    const shown = wanted === undefined ? ranks : [ranks.find(({ market }) => market === wanted) ?? noRank(wanted)];
    const params = shown.map(({ market, long = null, short = null }) => [market, long, short]);
    return [{ channel: 'ADLQuantile', params }];
  }

  markets(): string[] {
    if (this.#scope === undefined) return [];
    const { market: wanted } = this.#scope;
    const perpetuals = this.account.exchange.markets().filter(({ perpetual }) => perpetual !== undefined);
    return perpetuals.map(({ listing }) => listing.name).filter((name) => wanted === undefined || wanted === name);
  }

  /** Published: another market is an invalid argument. */
  #perpetual(params: readonly unknown[]): string {
    const [name] = params;
    const view = typeof name === 'string' ? this.account.exchange.find(name) : undefined;
    if (params.length !== 1 || view?.perpetual === undefined) throw invalidArgument();
    return view.listing.name;
  }
}

function noRank(market: string) {
  return { market, long: undefined, short: undefined };
}
