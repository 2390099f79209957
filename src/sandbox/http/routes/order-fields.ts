// The fields of the orders to place, and the rules that hold between them.
import { apiErrorCodes } from '../../../model/error-body.js';
import { positionSides, type PositionSide } from '../../../model/order.js';
import { killSwitchTypes, type KillSwitchType, type OrderReference } from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import type { FieldReader } from '../fields.js';

const { conflictingFlags, price: badPrice, rpiWithIoc, rpiWithRetail, validation } = apiErrorCodes;

export function orderFields(fields: FieldReader) {
  return {
    market: fields.market(),
    side: fields.side(),
    amount: fields.amount(),
    client_order_id: fields.clientOrderId(),
    stp: fields.stp(),
  };
}

export function flagFields(fields: FieldReader) {
  const postOnly = fields.flag('postOnly');
  const rpi = fields.flag('rpi');
  const ioc = fields.flag('ioc');
  if (ioc && rpi) throw invalid(422, rpiWithIoc, 'ioc', 'IOC cannot be combined with RPI.');
  if (ioc && postOnly)
    throw invalid(422, conflictingFlags, 'ioc', 'Either IOC or PostOnly flag in true state is allowed.');
  return { postOnly, rpi, ioc };
}

export function spotFlagFields(fields: FieldReader) {
  const flags = flagFields(fields);
  const retail = fields.flag('retail');
  if (flags.rpi && retail) throw invalid(422, rpiWithRetail, 'retail', 'api.tradeErrors.flagsCantBeCombined.rpiRetail');
  if (flags.rpi && flags.postOnly) throw invalid(422, validation, 'postOnly', 'PostOnly cannot be combined with RPI.');
  return { ...flags, retail };
}

/** Rejects a spot order with a limit price when a required field is missing: without `bboRole`, the price is one of them. */
export function requireSpotFields(fields: FieldReader, ...others: string[]): void {
  fields.require('market', 'side', 'amount', ...(fields.value('bboRole') === undefined ? ['price'] : []), ...others);
}

export function spotPriceFields(fields: FieldReader, { postOnly = false, ioc = false } = {}) {
  const role = fields.value('bboRole');
  if (role === undefined) return { price: fields.price('price') };
  if (role !== 1 && role !== 2) throw invalid(422, validation, 'bboRole', 'The selected bboRole is invalid.');
  if (fields.value('price') !== undefined)
    throw invalid(422, badPrice, 'price', 'The price cannot be combined with bboRole.');
  if (postOnly) throw invalid(422, validation, 'bboRole', 'BboRole cannot be combined with postOnly.');
  if (ioc && role === 1) throw invalid(422, validation, 'bboRole', 'IOC can be combined with bboRole 2 only.');
  return { bboRole: role } as const;
}

export function collateralFields(fields: FieldReader) {
  const stopLoss = fields.optionalPrice('stopLoss');
  const takeProfit = fields.optionalPrice('takeProfit');
  const reduceOnly = fields.flag('reduceOnly');
  if (reduceOnly && (stopLoss !== undefined || takeProfit !== undefined)) {
    throw invalid(422, validation, 'reduceOnly', 'reduceOnly cannot be combined with stopLoss or takeProfit.');
  }
  const positionSide = readPositionSide(fields);
  return {
    collateral: true,
    reduceOnly,
    ...(positionSide === undefined ? {} : { positionSide }),
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  };
}

export function readPositionSide(fields: FieldReader): PositionSide | undefined {
  const given = fields.value('positionSide');
  if (given === undefined) return undefined;
  const side = positionSides.find((known) => known === given);
  if (side === undefined) throw invalid(422, 114, 'positionSide', 'The selected positionSide is invalid.');
  return side;
}

/** The market, and exactly one of the identifiers of an order. */
export function orderReference(fields: FieldReader): { readonly market: string; readonly reference: OrderReference } {
  fields.require('market', ...(fields.value('client_order_id') === undefined ? ['order_id'] : []));
  const market = fields.marketToCancel() ?? fields.market();
  const order_id = fields.orderId({ asDigits: false });
  const client_order_id = fields.clientOrderId();
  if ((order_id === undefined) === (client_order_id === '')) {
    throw invalid(422, apiErrorCodes.validation, 'order_id', 'Exactly one of the identifiers is required.');
  }
  return { market, reference: order_id === undefined ? { client_order_id } : { order_id } };
}

export function orderKinds(fields: FieldReader, name: 'type' | 'types'): readonly KillSwitchType[] | undefined {
  const given = fields.value(name);
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw invalid(422, apiErrorCodes.validation, name, `The ${name} must be an array.`);
  const kinds = killSwitchTypes.filter((kind) => given.includes(kind));
  if (kinds.length !== given.length)
    throw invalid(422, apiErrorCodes.validation, name, `The selected ${name} is invalid.`);
  return kinds;
}
