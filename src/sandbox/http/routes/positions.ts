// The life of collateral positions: closing them, their history, their funding, and their rank for deleveraging.
import { formatDecimal } from '../../../model/decimal.js';
import { apiErrorCodes } from '../../../model/error-body.js';
import {
  fundingFixedBeforeMs,
  liquidationPrefix,
  type FundingPayment,
  type PositionChange,
} from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import { page, per10s, signed, type SignedCall } from '../route.js';
import { listedMarket, readPositionSide } from './order-fields.js';

/** Live: how far into the list of closed positions a page may reach. */
const maxClosedPositions = 10_000;
const pricePlaces = 8;

const rateLimit = per10s(12_000);

export const positionsRoutes = [
  signed('/api/v4/collateral-account/position/close', closePosition, { required: ['positionId', 'market'] }),
  // Live: the published description of the history lacks the page, and that of the payments its range.
  signed('/api/v4/collateral-account/positions/history', positionHistory, { rateLimit, fields: page(100, 50) }),
  signed('/api/v4/collateral-account/positions/closed-pnl', closedPositions, { rateLimit, fields: page(100, 50) }),
  signed('/api/v4/collateral-account/funding-history', fundingPayments, { rateLimit, fields: page(100) }),
  signed('/api/v4/collateral-account/adl-quantile', adlQuantiles, { rateLimit }),
];

/** The response is not published; the live exchange was seen to send an empty list. */
function closePosition({ state, account, fields }: SignedCall) {
  fields.require();
  const market = fields.market();
  const positionId = fields.integer('positionId', { minimum: 1 }) ?? 0;
  state.engine.collateral.closePosition(account, { market, positionId, positionSide: readPositionSide(fields) });
  return [];
}

function positionHistory({ state, account, fields }: SignedCall) {
  const market = fields.optionalMarket();
  const positionId = fields.integer('positionId');
  const changes = state.engine.collateral
    .positionChanges(account)
    .filter(({ position }) => market === undefined || position.market === market)
    .filter(({ position }) => positionId === undefined || position.id === positionId)
    .filter(isInPeriod(fields));
  return fields.page(changes).records.map(changeRecord);
}

function closedPositions({ state, account, fields }: SignedCall) {
  const closings = state.engine.collateral.closings(account).filter(isInPeriod(fields));
  const { records, limit, offset } = fields.page(closings);
  if (limit + offset > maxClosedPositions)
    throw invalid(422, apiErrorCodes.validation, 'offset', `Offset and limit may not exceed ${maxClosedPositions}.`);
  return records.map(closedRecord);
}

/** The dates are not published; older descriptions have them. */
function fundingPayments(call: SignedCall) {
  const { state, account, fields } = call;
  const market = listedMarket(call);
  const payments = state.engine.collateral
    .fundingPayments(account)
    .filter((payment) => market === undefined || payment.market === market)
    .filter(isInPeriod(fields));
  const { records, limit, offset } = fields.page(payments);
  return { records: records.map(paymentRecord), limit, offset };
}

function adlQuantiles({ state, account }: SignedCall) {
  return state.engine.collateral
    .adlQuantiles(account)
    .map(({ market, long = null, short = null }) => ({ market, long, short }));
}

/** Whether something happened in the requested period, whose bounds are Unix seconds. */
function isInPeriod(fields: FieldReader): (event: { readonly at: number }) => boolean {
  const { from, to } = fields.period();
  if (from > to) throw invalid(422, apiErrorCodes.validation, 'endDate', 'The endDate must not be before startDate.');
  return ({ at }) => at >= from * 1000 && at <= to * 1000;
}

/** A change of a position. Its funding was paid from the balance at each settlement, and not with the order. */
function changeRecord({ position, direction, trade, profit }: PositionChange) {
  const { id, market, openedAt, changedAt, amount, cost, entered, funding } = position;
  const basePrice = amount.isZero() ? entered.money.dividedBy(entered.amount) : cost.dividedBy(amount);
  return {
    positionId: id,
    market,
    openDate: openedAt / 1000,
    modifyDate: changedAt / 1000,
    amount: formatDecimal(amount),
    basePrice: formatDecimal(basePrice.decimalPlaces(pricePlaces)),
    realizedFunding: formatDecimal(funding),
    liquidationPrice: null,
    liquidationState: trade.client_order_id.startsWith(liquidationPrefix) ? 'liquidation' : null,
    orderDetail: {
      id: trade.order_id,
      tradeAmount: formatDecimal(trade.amount),
      price: formatDecimal(trade.price),
      tradeFee: formatDecimal(trade.fee),
      fundingFee: null,
      realizedPnl: profit === undefined ? null : formatDecimal(profit.minus(trade.fee)),
    },
    side: direction,
    isHedge: isHedged(position),
  };
}

/** A closed position, with the sums of its whole life. The gross profit is net of the fees of its trades. */
function closedRecord({ position, direction }: PositionChange) {
  const { id, market, openedAt, changedAt, entered, exited, profit, fees, funding } = position;
  const average = ({ amount, money }: typeof entered) =>
    formatDecimal(money.dividedBy(amount).decimalPlaces(pricePlaces));
  const grossPnl = profit.minus(fees);
  return {
    positionId: id,
    market,
    grossPnl: formatDecimal(grossPnl),
    netPnl: formatDecimal(grossPnl.minus(funding)),
    totalTradeFee: formatDecimal(fees),
    totalFunding: formatDecimal(funding),
    avgEntryPrice: average(entered),
    avgExitPrice: average(exited),
    closedSize: formatDecimal(exited.amount),
    amount: '0',
    side: direction,
    isHedge: isHedged(position),
    openDate: Math.floor(openedAt / 1000),
    closeDate: Math.floor(changedAt / 1000),
  };
}

function isHedged({ side }: PositionChange['position']): boolean {
  return side !== 'BOTH';
}

/** Times are seconds in strings. */
function paymentRecord({ at, market, rate, price, positionAmount, amount }: FundingPayment) {
  return {
    market,
    fundingTime: String(at / 1000),
    fundingRate: formatDecimal(rate),
    fundingAmount: formatDecimal(amount),
    positionAmount: formatDecimal(positionAmount),
    settlementPrice: formatDecimal(price),
    rateCalculatedTime: String((at - fundingFixedBeforeMs) / 1000),
  };
}
