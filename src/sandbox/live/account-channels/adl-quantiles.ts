// `ADLQuantile`: the ranks of the account's positions for deleveraging, at once and every 30 s.
import type { Channel } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { accountChannel } from './account-channel.js';
import type { LiveAccount } from './live-account.js';

export function adlQuantileChannel({ exchange, parts, name }: LiveAccount): Channel {
  return accountChannel(exchange, {
    name: 'ADLQuantile',
    everyMs: 30_000,
    // Published: another market is an invalid argument. Without a market: the perpetuals with a position.
    list: { allowsAll: true, accepts: (view) => view?.perpetual !== undefined },
    read: (markets) => {
      if (markets.length > 1) throw invalidArgument();
      return { markets };
    },
    due: (list) => {
      const ranks = parts.engine.collateral.adlQuantiles(name);
      const none = (market: string) => ({ market, long: undefined, short: undefined });
      const shown = list.isAll
        ? ranks
        : list.names().map((one) => ranks.find(({ market }) => market === one) ?? none(one));
      return shown.map(({ market, long = null, short = null }) => [market, long, short]);
    },
    startsAtOnce: true,
  });
}
