// The kinds of orders, and the parameter that restricts a request to some of them.
import * as v from 'valibot';
import { oneOf } from '../fields.js';

/** The kinds of orders: on spot, on margin (collateral orders of a spot market), and on futures. */
const orderKinds = ['spot', 'margin', 'futures'] as const;

/** The kind of an order: `spot`, `margin` (a collateral order of a spot market) or `futures`. */
export type OrderKind = (typeof orderKinds)[number];

const rule = `must be a list of ${orderKinds.map((kind) => JSON.stringify(kind)).join(', ')}`;

/** Kinds of orders, at least one. */
export const orderKindList: v.GenericSchema<readonly OrderKind[], OrderKind[]> = v.pipe(
  v.array(oneOf(orderKinds), rule),
  v.minLength(1, rule),
);
