// The fields of orders, and of references to them.
import { apiErrorCodes } from '../../../model/error-body.js';
import { positionSides, type PositionSide } from '../../../model/order.js';
import { killSwitchTypes, type KillSwitchType, type OrderReference } from '../../engine/index.js';
import { invalid, malformed } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import type { Call } from '../route.js';

export function orderFields(fields: FieldReader) {
  return {
    market: fields.market(),
    side: fields.side(),
    amount: fields.amount(),
    client_order_id: fields.clientOrderId(),
    stp: fields.stp(),
  };
}

export function listedMarket({ state, fields }: Call, message = 'Market is not available.'): string | undefined {
  const market = fields.optionalMarket();
  if (market !== undefined && !state.engine.views().some(({ listing }) => listing.name === market))
    throw invalid(422, apiErrorCodes.market, 'market', message);
  return market;
}

export function readPositionSide(fields: FieldReader): PositionSide | undefined {
  const given = fields.value('positionSide');
  if (given === undefined) return undefined;
  const side = positionSides.find((known) => known === given);
  if (side === undefined) throw invalid(422, 114, 'positionSide', 'The selected positionSide is invalid.');
  return side;
}

export function orderReference(fields: FieldReader): { readonly market: string; readonly reference: OrderReference } {
  fields.require('market', ...(fields.value('client_order_id') === undefined ? ['order_id'] : []));
  const market = fields.marketToCancel() ?? fields.market();
  const order_id = fields.orderId({ asDigits: false });
  const client_order_id = fields.clientOrderId();
  if ((order_id === undefined) === (client_order_id === ''))
    throw malformed('order_id', 'Exactly one of the identifiers is required.');
  return { market, reference: order_id === undefined ? { client_order_id } : { order_id } };
}

export function orderKinds(fields: FieldReader, name: 'type' | 'types'): readonly KillSwitchType[] | undefined {
  const given = fields.value(name);
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw malformed(name, `The ${name} must be an array.`);
  const kinds = killSwitchTypes.filter((kind) => given.includes(kind));
  if (kinds.length !== given.length) throw malformed(name, `The selected ${name} is invalid.`);
  return kinds;
}
