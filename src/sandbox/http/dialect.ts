// The two dialects: field names, statuses and short forms of the live exchange, or those of the spec.
import { decimal, formatDecimal } from '../../model/decimal.js';
import { liveStpModes } from '../../model/order.js';
import { historyNames, liveNames, type WireNames } from '../../model/wire-names.js';
import { apiErrorCodes, type FieldErrors, type PrivateErrorBody } from '../../model/error-body.js';
import { currenciesOf, type Listing, type OcoView } from '../engine/index.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import type { Rejection } from '../rejection.js';

/** `live`: field names, statuses and error codes of the live exchange. `spec`: those of its specification. */
export type Dialect = 'live' | 'spec';

type Json = Record<string, unknown>;

/** The wire name of a field of a request or an error. */
export function wireField(dialect: Dialect, field: string): string {
  const names: WireNames = liveNames;
  return dialect === 'live' ? (names[field] ?? field) : field;
}

/** An error's fields with the dialect's names. */
function wireErrors(dialect: Dialect, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([field, messages]) => [wireField(dialect, field), messages]));
}

/** The code of a rejection on the wire. The spec has no code of its own for steps. */
function wireCode(dialect: Dialect, { code, errors }: Pick<Rejection, 'code' | 'errors'>): number {
  if (dialect === 'live' || code !== apiErrorCodes.step) return code;
  if ('amount' in errors) return apiErrorCodes.amount;
  return 'price' in errors ? apiErrorCodes.price : apiErrorCodes.validation;
}

/** The body of an error response, or the error of one order of several. */
export function rejectionBody(dialect: Dialect, error: Rejection): PrivateErrorBody {
  return { code: wireCode(dialect, error), message: error.message, errors: wireErrors(dialect, error.errors) };
}

/** An order in the responses that list, cancel and place spot orders. */
export function renderOrder(dialect: Dialect, order: LedgerOrder): Json {
  return named(dialect === 'live' ? liveNames : {}, fieldsOf(dialect, order));
}

/**
 * An order in the response of the endpoint that placed it on collateral: its own spelling of statuses, the trigger price
 * without the state of the trigger, and the flags of limit orders only.
 */
export function renderCollateralOrder(dialect: Dialect, order: LedgerOrder): Json {
  const {
    activated: _activated,
    activationCondition: _condition,
    postOnly,
    ioc,
    rpi,
    ...fields
  } = fieldsOf(dialect, order);
  const status = dialect === 'live' ? fields['status'] : (collateralStatuses[order.status] ?? order.status);
  const flags = order.type === 'limit' ? { postOnly, ioc, rpi } : {};
  return named(dialect === 'live' ? liveNames : {}, { ...fields, ...flags, status });
}

/** An order in the order history. */
export function renderHistoricalOrder(dialect: Dialect, order: LedgerOrder): Json {
  const { left: _left, market: _market, ...fields } = fieldsOf(dialect, order);
  // Includes the price of a market order, which every other response of the live exchange omits.
  return named(dialect === 'live' ? historyNames : {}, { ...fields, price: order.price, ftime: order.ftime });
}

/** An order with a stop loss or take profit in the list of conditional orders, whose own names no dialect changes. */
export function renderConditionalOrder(
  dialect: Dialect,
  order: LedgerOrder,
  oto: NonNullable<LedgerOrder['oto']>,
): Json {
  return {
    id: oto.otoId,
    type: 'oto',
    ...(oto.stopLoss === undefined ? {} : { stopLossPrice: oto.stopLoss }),
    ...(oto.takeProfit === undefined ? {} : { takeProfitPrice: oto.takeProfit }),
    conditionalOrder: renderOrder(dialect, order),
  };
}

/** An OCO order, where it is listed or canceled. Its orders have names of their own in either dialect. */
export function renderOcoOrder(dialect: Dialect, { id, stopLoss, takeProfit }: OcoView): Json {
  return { id, stop_loss: renderLeg(dialect, stopLoss), take_profit: renderLeg(dialect, takeProfit) };
}

/** An OCO order in the response to its request. Published: the fees of the market, as shares, are there only. */
export function renderPlacedOcoOrder(
  dialect: Dialect,
  oco: OcoView,
  market: Pick<Listing, 'takerFee' | 'makerFee'> | undefined,
): Json {
  const shareOf = (percent = '0') => formatDecimal(decimal(percent).shiftedBy(-2));
  const fees = { takerFee: shareOf(market?.takerFee), makerFee: shareOf(market?.makerFee) };
  const legs = Object.entries(renderOcoOrder(dialect, oco)).map(([name, value]) => {
    if (typeof value !== 'object') return [name, value] as const;
    const { feeAsset: _feeAsset, reduceOnly: _reduceOnly, ...leg }: Json = { ...value };
    return [name, { ...leg, ...fees }] as const;
  });
  return { ...Object.fromEntries(legs), reduceOnly: oco.takeProfit.reduceOnly };
}

/** An OCO order in the list of conditional orders. */
export function renderConditionalOcoOrder(dialect: Dialect, { id, stopLoss, takeProfit }: OcoView): Json {
  const conditionalLeg = (order: LedgerOrder) => {
    const { feeAsset: _feeAsset, ...leg } = renderLeg(dialect, order);
    return named(conditionalLegNames, leg);
  };
  return { id, type: 'oco', stopLoss: conditionalLeg(stopLoss), takeProfit: conditionalLeg(takeProfit) };
}

const legNames: WireNames = { postOnly: 'post_only', activationCondition: 'activation_condition' };
const conditionalLegNames: WireNames = {
  post_only: 'postOnly',
  activation_price: 'activationPrice',
  activation_condition: 'activationCondition',
};

function renderLeg(dialect: Dialect, order: LedgerOrder): Json {
  const { ioc: _ioc, rpi: _rpi, ...leg } = renderOrder(dialect, order);
  return named(legNames, { ...leg, type: order.type, mtime: order.mtime });
}

/** An order of a delisted market. Published: amounts with ten decimal places, and the status in lower case. */
export function renderDelistedOrder(dialect: Dialect, order: LedgerOrder): Json {
  const { order_id: id, client_order_id, market, side, timestamp, ftime, deal_stock, deal_money } = order;
  const padded = (amount: string) => decimal(amount).toFixed(10);
  return named(dialect === 'live' ? liveNames : {}, {
    id,
    client_order_id,
    createdAt: timestamp,
    finishAt: ftime,
    market,
    side,
    type: typeOf(dialect, order),
    price: padded(order.price),
    amount: padded(order.amount),
    deal_stock: padded(deal_stock),
    deal_money: padded(deal_money),
    fee: padded(order.deal_fee),
    feeAsset: currenciesOf(market).money,
    status: 'canceled',
    delistingKind: 'canceled',
  });
}

/** A deal of one of the account's orders. */
export function renderDeal(dialect: Dialect, fill: LedgerFill): Json {
  const { id, order_id, client_order_id, market, side, role, price, amount, money, fee, at } = fill;
  return named(dialect === 'live' ? liveNames : {}, {
    id,
    client_order_id,
    time: at / 1000,
    side,
    role: dealRoles[role],
    amount,
    price,
    deal: money,
    fee,
    order_id,
    feeAsset: currenciesOf(market).money,
  });
}

const dealRoles = { maker: 1, taker: 2 } as const;

/** Spec, States: the statuses of the collateral limit endpoint. */
const collateralStatuses: Readonly<Partial<Record<LedgerOrder['status'], string>>> = {
  PARTIAL_FILLED: 'PARTIALLY_FILLED',
  CANCELED: 'CANCELLED',
  PARTIAL_CANCELED: 'CANCELLED',
  CANCELED_STP: 'CANCELLED',
};

/** The statuses that the live exchange spells differently. */
const liveStatuses: Readonly<Partial<Record<LedgerOrder['status'], string>>> = {
  NEW: 'OPEN',
  PARTIAL_FILLED: 'PARTIALLY_FILLED',
  PARTIAL_CANCELED: 'CANCELED',
};

/** The status of an order as the live exchange spells it. */
export function liveStatusOf({ status }: Pick<LedgerOrder, 'status'>): string {
  return liveStatuses[status] ?? status;
}

function statusOf(dialect: Dialect, order: LedgerOrder): string {
  if (dialect === 'live') return liveStatusOf(order);
  const { status, deal_stock } = order;
  if (status !== 'CANCELED_STP') return status;
  return deal_stock === '0' ? 'CANCELED' : 'PARTIAL_CANCELED';
}

/** Recorded: the types of orders on collateral, wherever they are shown but in an OCO order. */
const liveCollateralTypes: Readonly<Partial<Record<LedgerOrder['type'], string>>> = {
  limit: 'margin limit',
  market: 'margin market',
  'stop limit': 'margin stop limit',
  'stop market': 'trigger margin market',
};

function typeOf(dialect: Dialect, { type, collateral }: LedgerOrder): string {
  return dialect === 'live' && collateral ? (liveCollateralTypes[type] ?? type) : type;
}

function fieldsOf(dialect: Dialect, order: LedgerOrder): Json {
  const {
    account: _account,
    ocoId: _ocoId,
    collateral,
    ftime: _ftime,
    mtime: _mtime,
    price,
    stp,
    positionSide,
    reduceOnly,
    rpi,
    retail,
    oto,
    ...same
  } = order;
  const isMarket = price === '0';
  return {
    ...same,
    type: typeOf(dialect, order),
    status: statusOf(dialect, order),
    stp: dialect === 'live' ? liveStpModes[stp] : stp,
    ...(dialect === 'live' ? { feeAsset: currenciesOf(order.market).money } : {}),
    ...(dialect === 'live' && isMarket ? {} : { price }),
    ...(collateral ? { positionSide: positionSide ?? 'BOTH', rpi, reduceOnly } : {}),
    ...(!collateral && order.type === 'limit' ? { rpi, retail } : {}),
    ...(oto === undefined ? {} : { oto }),
  };
}

function named(names: WireNames, fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [names[field] ?? field, value]));
}
