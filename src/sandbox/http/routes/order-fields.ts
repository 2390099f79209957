// The fields that every order to place has.
import type { FieldReader } from '../fields.js';

export function orderFields(fields: FieldReader) {
  return {
    market: fields.market(),
    side: fields.side(),
    amount: fields.amount(),
    client_order_id: fields.clientOrderId(),
    stp: fields.stp(),
  };
}
