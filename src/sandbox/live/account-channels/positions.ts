// `positionsMargin` and `borrowsMargin`: all open positions and loans, again and again. `positionsAccountMargin` and
// `borrowsAccountMargin`: margin calls and liquidations. `ADLQuantile`: the ranks of positions for deleveraging.
import { formatDecimal } from '../../../model/decimal.js';
import { positionValuesOf } from '../../account-values.js';
import type { OpenPosition } from '../../engine/index.js';
import type { Channel, LiveAccount } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { listChannel } from '../list-channel.js';
import { secondsOf } from '../live-exchange.js';

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
  const { position, liquidationState = null } = open;
  const values = positionValuesOf(open);
  return {
    id: position.id,
    market: position.market,
    ctime: secondsOf(position.openedAt),
    mtime: secondsOf(position.changedAt),
    amount: values.amount,
    amount_in_money: values.value,
    base_price: values.basePrice,
    pnl: values.unrealizedPnl,
    liq_price: values.liquidationPrice,
    liq_stage: liquidationState,
    unrealized_funding: values.unrealizedFunding,
    funding: values.funding,
    margin: values.margin,
    free_margin: formatDecimal(open.freeMargin),
    realized_pnl: values.realizedPnl,
    position_side: position.side,
  };
}
