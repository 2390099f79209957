// The endpoints that place and cancel orders, list those that are open, and tell of those that have ended.
import { apiErrorCodes } from '../../model/error-body.js';
import type { EngineApi } from '../engine/engine-api.js';
import type { LedgerOrder } from '../ledger.js';
import type { World } from '../world.js';
import { invalid } from '../refusal.js';
import { renderCollateralOrder, renderConditionalOrder, renderHistoricalOrder, renderOrder } from './dialect.js';
import type { FieldReader } from './fields.js';

/** A private endpoint: reads its fields and answers, or throws a Refusal. */
export type PrivateEndpoint = (engine: EngineApi, account: string, fields: FieldReader) => unknown;

export const stockMarketOrder: PrivateEndpoint = (engine, account, fields) =>
  placeMarket('stock market', engine, account, fields);

export const marketOrder: PrivateEndpoint = (engine, account, fields) => placeMarket('market', engine, account, fields);

export const collateralLimitOrder: PrivateEndpoint = (engine, account, fields) => {
  fields.require('market', 'side', 'amount', 'price');
  const postOnly = fields.flag('postOnly');
  const rpi = fields.flag('rpi');
  const ioc = fields.flag('ioc');
  const { conflictingFlags, rpiWithIoc, validation } = apiErrorCodes;
  const live = fields.dialect === 'live';
  // Spec: rpi with ioc is 37, and ioc with postOnly has no code of its own. Live: 40, and 37.
  if (ioc && rpi) throw invalid(422, live ? rpiWithIoc : conflictingFlags, 'ioc', 'IOC cannot be combined with RPI.');
  if (ioc && postOnly)
    throw invalid(422, live ? conflictingFlags : validation, 'ioc', 'IOC cannot be combined with postOnly.');
  const stopLoss = fields.optionalPrice('stopLoss');
  const takeProfit = fields.optionalPrice('takeProfit');
  // Spec: published in advance, not accepted yet. Live: accepted by now.
  const reduceOnly = live && fields.flag('reduceOnly');
  if (reduceOnly && (stopLoss !== undefined || takeProfit !== undefined)) {
    throw invalid(422, validation, 'reduceOnly', 'reduceOnly cannot be combined with stopLoss or takeProfit.');
  }
  const positionSide = fields.positionSide();
  const order = engine.place(account, {
    type: 'limit',
    ...orderFields(fields),
    price: fields.price('price'),
    postOnly,
    ioc,
    rpi,
    reduceOnly,
    ...(positionSide === undefined ? {} : { positionSide }),
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  });
  return renderCollateralOrder(fields.dialect, order);
};

export const cancelOrder: PrivateEndpoint = (engine, account, fields) => {
  fields.require('market');
  const { order_id, client_order_id } = identifiersOf(fields, { asDigits: false });
  if ((order_id === undefined) === (client_order_id === '')) {
    throw invalid(422, apiErrorCodes.validation, 'order_id', 'Exactly one of the identifiers is required.');
  }
  const key = order_id === undefined ? { client_order_id } : { order_id };
  return renderOrder(fields.dialect, engine.cancel(account, fields.market(), key));
};

export const setKillSwitch: PrivateEndpoint = (engine, account, fields) => {
  fields.require('market');
  const market = fields.market();
  const seconds = fields.killSwitchSeconds();
  const types = fields.killSwitchTypes();
  const times = engine.setKillSwitch(account, market, seconds, types);
  return times === undefined ? [] : { market, ...times, types: types ?? null };
};

/**
 * The orders that rest or wait; those with a stop loss or take profit are elsewhere in a sandbox with
 * `conditionalListing`.
 */
export const openOrders =
  ({ conditionalListing }: Pick<World, 'conditionalListing'>): PrivateEndpoint =>
  (engine, account, fields) => {
    const asked = orderFilter(fields);
    if (asked.byIdentifier) fields.require('market');
    const limit = fields.integer('limit', 1, 100) ?? 50;
    const offset = fields.integer('offset', 0, 10_000) ?? 0;
    return engine
      .openOrders(account, asked.identifier)
      .filter((order) => asked.matches(order) && !(conditionalListing && order.oto !== undefined))
      .slice(offset, offset + limit)
      .map((order) => renderOrder(fields.dialect, order));
  };

/** The open orders with a stop loss or take profit. */
export const conditionalOrders: PrivateEndpoint = (engine, account, fields) => {
  const market = fields.value('market') === undefined ? undefined : fields.market();
  const limit = fields.integer('limit', 1, 100) ?? 100;
  const offset = fields.integer('offset', 0, 4_294_967_295) ?? 0;
  const records = engine
    .openOrders(account)
    .filter((order) => market === undefined || order.market === market)
    .flatMap((order) => (order.oto === undefined ? [] : [renderConditionalOrder(fields.dialect, order, order.oto)]));
  return { limit, offset, total: records.length, records: records.slice(offset, offset + limit) };
};

export const orderHistory =
  ({ clock, historyLagMs }: Pick<World, 'clock' | 'historyLagMs'>): PrivateEndpoint =>
  (engine, account, fields) => {
    // The microseconds of an order's times count the orders of one millisecond: all of them have ended when it is
    // there.
    const shownBefore = (Math.floor(clock.now() - historyLagMs) + 1) / 1000;
    const asked = orderFilter(fields);
    const limit = fields.integer('limit', 1, 500) ?? 50;
    const offset = fields.integer('offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const from = fields.integer('startDate', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const to = fields.integer('endDate', 0, Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY;
    const status = fields.value('status');

    const found = engine
      .history(account, asked.identifier)
      .filter(
        (order) =>
          asked.matches(order) && order.timestamp >= from && order.timestamp <= to && (order.ftime ?? 0) < shownBefore,
      )
      .map((order) => ({ market: order.market, record: renderHistoricalOrder(fields.dialect, order) }))
      .filter(({ record }) => status === undefined || record['status'] === status)
      .slice(offset, offset + limit);
    if (found.length === 0 && asked.client_order_id !== '') {
      throw invalid(422, apiErrorCodes.validation, 'orderHistory', 'OrderHistory was not found.');
    }
    const byMarket: Record<string, unknown[]> = {};
    for (const { market, record } of found) (byMarket[market] ??= []).push(record);
    return fields.dialect === 'live' && found.length === 0 ? [] : byMarket;
  };

function placeMarket(
  type: 'market' | 'stock market',
  engine: EngineApi,
  account: string,
  fields: FieldReader,
): unknown {
  fields.require('market', 'side', 'amount');
  return renderOrder(fields.dialect, engine.place(account, { type, ...orderFields(fields) }));
}

function orderFields(fields: FieldReader) {
  return {
    market: fields.market(),
    side: fields.side(),
    amount: fields.amount(),
    client_order_id: fields.clientOrderId(),
    stp: fields.stp(),
  };
}

/** The identifiers that the request asks by, if any; `client_order_id` is empty when none. */
function identifiersOf(fields: FieldReader, { asDigits }: { readonly asDigits: boolean }) {
  return { order_id: fields.orderId({ asDigits }), client_order_id: fields.clientOrderId() };
}

/**
 * Which orders a list is asked for. Each thing that is asked must be the order's: a list never answers more than was
 * asked for.
 */
function orderFilter(fields: FieldReader) {
  const { order_id, client_order_id } = identifiersOf(fields, { asDigits: true });
  const market = fields.value('market') === undefined ? undefined : fields.market();
  return {
    client_order_id,
    identifier: market === undefined || client_order_id === '' ? undefined : { market, client_order_id },
    byIdentifier: order_id !== undefined || client_order_id !== '',
    matches: (order: LedgerOrder): boolean =>
      (market === undefined || order.market === market) &&
      (order_id === undefined || order.order_id === order_id) &&
      (client_order_id === '' || order.client_order_id === client_order_id),
  };
}
