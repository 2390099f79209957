// Orders, deals and rejections as the live exchange writes them: its field names, statuses and short forms.
import { decimal } from '../../model/decimal.js';
import { liveStpModes } from '../../model/order.js';
import { historyNames, liveNames, type WireNames } from '../../model/wire-names.js';
import type { PrivateErrorBody } from '../../model/error-body.js';
import { unixSeconds } from '../clock.js';
import { currenciesOf, type KillSwitch, type Listing, type OcoView } from '../engine/index.js';
import type { LedgerFill, LedgerOrder } from '../ledger.js';
import type { Rejection } from '../rejection.js';

type Json = Record<string, unknown>;

const liveNameOf: WireNames = liveNames;

export function wireField(field: string): string {
  return liveNameOf[field] ?? field;
}

export function rejectionBody({ code, message, errors }: Rejection): PrivateErrorBody {
  return { code, message, errors: named(liveNames, errors) };
}

export function renderOrder(order: LedgerOrder): Json {
  return named(liveNames, fieldsOf(order));
}

/** As placed on collateral: the trigger price without its state, and the flags of limit orders only. */
export function renderCollateralOrder(order: LedgerOrder): Json {
  const { activated: _activated, activationCondition: _condition, postOnly, ioc, rpi, ...fields } = fieldsOf(order);
  return named(liveNames, { ...fields, ...(order.type === 'limit' ? { postOnly, ioc, rpi } : {}) });
}

export function renderHistoricalOrder(order: LedgerOrder): Json {
  const { left: _left, market: _market, ...fields } = fieldsOf(order);
  // Includes the price of a market order, which every other response of the live exchange omits.
  return named(historyNames, { ...fields, price: order.price, ftime: order.ftime });
}

export function renderConditionalOrder(order: LedgerOrder, oto: NonNullable<LedgerOrder['oto']>): Json {
  const { otoId: id, stopLoss: stopLossPrice, takeProfit: takeProfitPrice } = oto;
  return { id, type: 'oto', stopLossPrice, takeProfitPrice, conditionalOrder: renderOrder(order) };
}

export function renderOcoOrder({ id, stopLoss, takeProfit }: OcoView): Json {
  return { id, stop_loss: renderLeg(stopLoss), take_profit: renderLeg(takeProfit) };
}

/** An OCO order in the response to its request. Published: the fees of the market, as shares, are there only. */
export function renderPlacedOcoOrder({ id, stopLoss, takeProfit }: OcoView, market: Listing): Json {
  const shareOf = (percent: string) => decimal(percent).shiftedBy(-2);
  const placedLeg = (order: LedgerOrder) => {
    const { feeAsset: _feeAsset, reduceOnly: _reduceOnly, ...leg } = renderLeg(order);
    return { ...leg, takerFee: shareOf(market.takerFee), makerFee: shareOf(market.makerFee) };
  };
  const { reduceOnly } = takeProfit;
  return { id, stop_loss: placedLeg(stopLoss), take_profit: placedLeg(takeProfit), reduceOnly };
}

export function renderConditionalOcoOrder({ id, stopLoss, takeProfit }: OcoView): Json {
  const conditionalLeg = (order: LedgerOrder) => {
    const { feeAsset: _feeAsset, ...leg } = renderLeg(order, { activation_price: 'activationPrice' });
    return leg;
  };
  return { id, type: 'oco', stopLoss: conditionalLeg(stopLoss), takeProfit: conditionalLeg(takeProfit) };
}

const legNames: WireNames = { postOnly: 'post_only', activationCondition: 'activation_condition' };

function renderLeg(order: LedgerOrder, names = legNames): Json {
  const { ioc: _ioc, rpi: _rpi, ...leg } = renderOrder(order);
  return named(names, { ...leg, type: order.type, mtime: order.mtime });
}

/** An order of a delisted market. Published: amounts with ten decimal places, and the status in lower case. */
export function renderDelistedOrder(order: LedgerOrder): Json {
  const { order_id: id, client_order_id, market, side, timestamp: createdAt, ftime: finishAt } = order;
  const { price, amount, deal_stock, deal_money, deal_fee: fee } = order;
  const amounts = Object.entries({ price, amount, deal_stock, deal_money, fee });
  return named(liveNames, {
    ...{ id, client_order_id, createdAt, finishAt, market, side, type: typeOf(order) },
    ...Object.fromEntries(amounts.map(([name, value]) => [name, decimal(value).toFixed(10)])),
    ...{ feeAsset: currenciesOf(market).money, status: 'canceled', delistingKind: 'canceled' },
  });
}

export function renderDeal(fill: LedgerFill): Json {
  const { id, order_id, client_order_id, market, side, role, price, amount, money: deal, fee, at } = fill;
  return named(liveNames, {
    ...{ id, client_order_id, time: at / 1000, side, role: dealRoles[role], amount, price, deal, fee, order_id },
    feeAsset: currenciesOf(market).money,
  });
}

export function renderKillSwitch({ market, setAt, at, types }: KillSwitch): Json {
  return { market, startTime: unixSeconds(setAt), cancellationTime: unixSeconds(at), types: types ?? null };
}

export const dealRoles = { maker: 1, taker: 2 } as const;

const liveStatuses: Readonly<Partial<Record<LedgerOrder['status'], string>>> = {
  NEW: 'OPEN',
  PARTIAL_FILLED: 'PARTIALLY_FILLED',
  PARTIAL_CANCELED: 'CANCELED',
};

export function liveStatusOf({ status }: Pick<LedgerOrder, 'status'>): string {
  return liveStatuses[status] ?? status;
}

/** Recorded: the types of orders on collateral, wherever they are shown but in an OCO order. */
const liveCollateralTypes: Readonly<Partial<Record<LedgerOrder['type'], string>>> = {
  limit: 'margin limit',
  market: 'margin market',
  'stop limit': 'margin stop limit',
  'stop market': 'trigger margin market',
};

function typeOf({ type, collateral }: LedgerOrder): string {
  return collateral ? (liveCollateralTypes[type] ?? type) : type;
}

function fieldsOf(order: LedgerOrder): Json {
  const { account: _account, ocoId: _ocoId, ftime: _ftime, mtime: _mtime, ...shown } = order;
  const { collateral, price, stp, positionSide, reduceOnly, rpi, retail, oto, ...same } = shown;
  return {
    ...same,
    type: typeOf(order),
    status: liveStatusOf(order),
    stp: liveStpModes[stp],
    feeAsset: currenciesOf(order.market).money,
    price: price === '0' ? undefined : price,
    ...(collateral ? { positionSide: positionSide ?? 'BOTH', rpi, reduceOnly } : {}),
    ...(!collateral && order.type === 'limit' ? { rpi, retail } : {}),
    oto,
  };
}

function named<Value>(names: WireNames, fields: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [names[field] ?? field, value]));
}
