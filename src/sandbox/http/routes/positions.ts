// The life of collateral positions: closing them, their history, their funding, and their rank for deleveraging.
import { liquidationPrefix, type PositionChange } from '../../engine/index.js';
import { unixSeconds } from '../../clock.js';
import { malformed } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import { per10s } from '../rate-limiter.js';
import { page, signed, type Call } from '../route.js';
import { listedMarket, settlementRecord } from './market-data.js';

/** Live: how far into the list of closed positions a page may reach. */
const maxClosedPositions = 10_000;
const pricePlaces = 8;

export const positionsRoutes = [
  signed('/api/v4/collateral-account/position/close', closePosition, {
    ...{ rateLimit: per10s(10_000), required: ['positionId', 'market'] },
  }),
  // Live: the published description of the history lacks the page, and that of the payments its range.
  signed('/api/v4/collateral-account/positions/history', positionHistory, { fields: page(100, 50) }),
  signed('/api/v4/collateral-account/positions/closed-pnl', closedPositions, { fields: page(100, 50) }),
  signed('/api/v4/collateral-account/funding-history', fundingPayments, { fields: page(100) }),
  signed('/api/v4/collateral-account/adl-quantile', adlQuantiles),
];

/** The response is not published; the live exchange was seen to send an empty list. */
function closePosition({ state, account, fields }: Call) {
  const market = fields.market();
  const positionId = fields.integer('positionId', { minimum: 1 }) ?? 0;
  state.engine.current.collateral.closePosition(account, market, positionId, fields.positionSide());
  return [];
}

function positionHistory({ state, account, fields }: Call) {
  const changes = state.engine.current.collateral.positionChanges(account);
  const inMarket = fields.ofMarket(changes, ({ position }) => position.market);
  const positionId = fields.integer('positionId');
  const found = inMarket.filter(({ position }) => positionId === undefined || position.id === positionId);
  return fields.page(inPeriod(found, fields)).records.map(changeRecord);
}

function closedPositions({ state, account, fields }: Call) {
  const changes = state.engine.current.collateral.positionChanges(account);
  const closings = changes.filter(({ position }) => position.amount.isZero());
  const { records, limit, offset } = fields.page(inPeriod(closings, fields));
  if (limit + offset > maxClosedPositions)
    throw malformed('offset', `Offset and limit may not exceed ${maxClosedPositions}.`);
  return records.map(closedRecord);
}

/** The dates are not published; older descriptions have them. */
function fundingPayments(call: Call) {
  const { state, account, fields } = call;
  listedMarket(call);
  const payments = fields.ofMarket(state.engine.current.collateral.fundingPayments.of(account), ({ market }) => market);
  const { records, ...bounds } = fields.page(inPeriod(payments, fields));
  const shown = records.map(({ positionAmount, amount: fundingAmount, market, ...settlement }) => {
    return { ...settlementRecord(market, settlement), fundingAmount, positionAmount };
  });
  return { records: shown, ...bounds };
}

function adlQuantiles({ state, account }: Call) {
  return state.engine.current.collateral
    .adlQuantiles(account)
    .map(({ market, long = null, short = null }) => ({ market, long, short }));
}

function inPeriod<Event extends { readonly at: number }>(events: readonly Event[], fields: FieldReader): Event[] {
  const { from, to, has } = fields.period();
  if (from > to) throw malformed('endDate', 'The endDate must not be before startDate.');
  return events.filter(({ at }) => has(at / 1000));
}

/** A change of a position. Its funding was paid from the balance at each settlement, and not with the order. */
function changeRecord({ position, direction, trade, profit }: PositionChange) {
  const { id, market, openedAt, changedAt, amount, cost, entered, funding } = position;
  const basePrice = amount.isZero() ? entered.money.dividedBy(entered.amount) : cost.dividedBy(amount);
  return {
    ...{ positionId: id, market, openDate: openedAt / 1000, modifyDate: changedAt / 1000, amount },
    ...{ basePrice: basePrice.decimalPlaces(pricePlaces), realizedFunding: funding, liquidationPrice: null },
    liquidationState: trade.client_order_id.startsWith(liquidationPrefix) ? 'liquidation' : null,
    orderDetail: {
      ...{ id: trade.order_id, tradeAmount: trade.amount, price: trade.price, tradeFee: trade.fee, fundingFee: null },
      realizedPnl: profit?.minus(trade.fee) ?? null,
    },
    ...{ side: direction, isHedge: position.side !== 'BOTH' },
  };
}

/** A closed position, with the sums of its whole life. The gross profit is net of the fees of its trades. */
function closedRecord({ position, direction }: PositionChange) {
  const { id, market, openedAt, changedAt, entered, exited, profit, fees, funding } = position;
  const average = ({ amount, money }: typeof entered) => money.dividedBy(amount).decimalPlaces(pricePlaces);
  const grossPnl = profit.minus(fees);
  return {
    ...{ positionId: id, market, grossPnl, netPnl: grossPnl.minus(funding), totalTradeFee: fees },
    ...{ totalFunding: funding, avgEntryPrice: average(entered), avgExitPrice: average(exited) },
    ...{ closedSize: exited.amount, amount: '0', side: direction, isHedge: position.side !== 'BOTH' },
    ...{ openDate: unixSeconds(openedAt), closeDate: unixSeconds(changedAt) },
  };
}
