// `positionsMargin` and `borrowsMargin`: all open positions and loans, again and again. `positionsAccountMargin` and
// `borrowsAccountMargin`: margin calls and liquidations. `ADLQuantile`: the ranks of positions for deleveraging.
import type { OpenPosition } from '../../engine/index.js';
import { positionValuesOf } from '../../http/index.js';
import type { ChannelRules, LiveAccount } from '../channel.js';
import { listChannel } from '../list-channel.js';

export function positionsMargin({ exchange, state, name }: LiveAccount): ChannelRules {
  const due = () => messageOf(state.engine.current.collateral.openPositions(name).map(positionRecord));
  return listChannel(exchange, { everyMs: 1000, due });
}

/** The sandbox lends nothing. */
export function borrowsMargin({ exchange }: LiveAccount): ChannelRules {
  return listChannel(exchange, { everyMs: 1500, due: () => messageOf([]) });
}

export function positionsAccountMargin({ exchange }: LiveAccount): ChannelRules {
  return listChannel(exchange, {
    paramsOf: (event) => (event.kind === 'position' ? [event.event, positionRecord(event.position)] : undefined),
  });
}

export function borrowsAccountMargin({ exchange }: LiveAccount): ChannelRules {
  return listChannel(exchange, {});
}

export function ADLQuantile({ exchange, state, name }: LiveAccount): ChannelRules {
  return listChannel(exchange, {
    ...{ everyMs: 30_000, startsAtOnce: true },
    // Published: another market is an invalid argument. Without a market: the perpetuals with a position.
    list: { allowsAll: true, isSingle: true, accepts: (view) => view?.perpetual !== undefined },
    due: (list) => {
      const ranks = state.engine.current.collateral.adlQuantiles(name);
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
