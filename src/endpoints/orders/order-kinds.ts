// The parameter that restricts a request to kinds of orders.
import * as v from 'valibot';
import { orderKinds, type OrderKind } from '../../model/kill-switch.js';
import { oneOf } from '../fields.js';

const rule = `must be a list of ${orderKinds.map((kind) => JSON.stringify(kind)).join(', ')}`;

/** Kinds of orders, at least one. */
export const orderKindList: v.GenericSchema<readonly OrderKind[], OrderKind[]> = v.pipe(
  v.array(oneOf(orderKinds), rule),
  v.minLength(1, rule),
);
