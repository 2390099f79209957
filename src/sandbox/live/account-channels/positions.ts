// `positionsMargin` and `borrowsMargin`: all open positions and loans, again and again. `positionsAccountMargin` and
// `borrowsAccountMargin`: margin calls and liquidations. `ADLQuantile`: the ranks of positions for deleveraging.
import { positionValuesOf } from '../../account-values.js';
import type { OpenPosition } from '../../engine/index.js';
import type { Channel, LiveAccount } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { listChannel } from '../list-channel.js';

export function positionsMarginChannel({ exchange, parts, name }: LiveAccount): Channel {
  const due = () => messageOf(parts.engine.openPositions(name).map(positionRecord));
  return listChannel(exchange, { name: 'positionsMargin', everyMs: 1000, due });
}

/** The sandbox lends nothing. */
export function borrowsMarginChannel({ exchange }: LiveAccount): Channel {
  return listChannel(exchange, { name: 'borrowsMargin', everyMs: 1500, due: () => messageOf([]) });
}

export function positionsAccountMarginChannel({ exchange }: LiveAccount): Channel {
  return listChannel(exchange, {
    name: 'positionsAccountMargin',
    paramsOf: (event) => (event.kind === 'position' ? [event.event, positionRecord(event.position)] : undefined),
  });
}

export function borrowsAccountMarginChannel({ exchange }: LiveAccount): Channel {
  return listChannel(exchange, { name: 'borrowsAccountMargin' });
}

/** At once and every 30 s. */
export function adlQuantileChannel({ exchange, parts, name }: LiveAccount): Channel {
  return listChannel(exchange, {
    ...{ name: 'ADLQuantile', everyMs: 30_000, startsAtOnce: true },
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
      return [{ params: shown.map(({ market, long = null, short = null }) => [market, long, short]) }];
    },
  });
}

function messageOf(records: readonly unknown[]) {
  return [{ params: { total: records.length, records } }];
}

function positionRecord(open: OpenPosition) {
  const { position, liquidationState: liq_stage = null, freeMargin: free_margin } = open;
  const { id, market, openedAt, changedAt, side } = position;
  const { basePrice, liquidationPrice, unrealizedPnl, realizedPnl, unrealizedFunding, value, ...same } =
    positionValuesOf(open);
  return {
    ...{ id, market, ctime: openedAt / 1000, mtime: changedAt / 1000, ...same, amount_in_money: value },
    ...{ base_price: basePrice, pnl: unrealizedPnl, liq_price: liquidationPrice, liq_stage },
    ...{ unrealized_funding: unrealizedFunding, free_margin, realized_pnl: realizedPnl, position_side: side },
  };
}
