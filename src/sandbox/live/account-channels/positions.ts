// `positionsMargin` and `borrowsMargin`: all open positions and loans, again and again. `positionsAccountMargin` and
// `borrowsAccountMargin`: margin calls and liquidations.
import { formatDecimal } from '../../../model/decimal.js';
import { positionValuesOf } from '../../account-values.js';
import type { OpenPosition } from '../../engine/index.js';
import { secondsOf } from '../book-history.js';
import type { Channel } from '../channel.js';
import { accountChannel } from './account-channel.js';
import type { LiveAccount } from './live-account.js';

export function positionsMarginChannel({ exchange, parts, name }: LiveAccount): Channel {
  const due = () => listOf(parts.engine.openPositions(name).map(positionRecord));
  return accountChannel(exchange, { name: 'positionsMargin', everyMs: 1000, due });
}

/** The sandbox lends nothing. */
export function borrowsMarginChannel({ exchange }: LiveAccount): Channel {
  return accountChannel(exchange, { name: 'borrowsMargin', everyMs: 1500, due: () => listOf([]) });
}

export function positionsAccountMarginChannel({ exchange }: LiveAccount): Channel {
  return accountChannel(exchange, {
    name: 'positionsAccountMargin',
    paramsOf: (event) => (event.kind === 'position' ? [event.event, positionRecord(event.position)] : undefined),
  });
}

export function borrowsAccountMarginChannel({ exchange }: LiveAccount): Channel {
  return accountChannel(exchange, { name: 'borrowsAccountMargin' });
}

function listOf(records: readonly unknown[]) {
  return { total: records.length, records };
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
