// The kinds of fields that requests have, each with the rule it states when it is broken.
import * as v from 'valibot';
import { clientOrderIdMaxLength, clientOrderIdPattern } from '../model/order.js';
import { decimal, decimalInputSchema } from '../model/decimal.js';
import { marketNamePattern } from '../model/market.js';

/**
 * The parameters whose schemas these are. An interface that extends it shows its name and the docstrings of the
 * parameters in an editor.
 */
export type ParamsOf<Entries extends v.ObjectEntries> = RequiredParams<Entries, RequiredName<Entries>> &
  OptionalParams<Entries, OptionalName<Entries>>;

type RequiredParams<Entries extends v.ObjectEntries, Name extends keyof Entries> = {
  -readonly [Each in Name]: v.InferInput<Entries[Each]>;
};
type OptionalParams<Entries extends v.ObjectEntries, Name extends keyof Entries> = {
  -readonly [Each in Name]?: v.InferInput<Entries[Each]>;
};
type RequiredName<Entries extends v.ObjectEntries> = Exclude<keyof Entries, OptionalName<Entries>>;
type OptionalName<Entries extends v.ObjectEntries> = {
  [Each in keyof Entries]: Entries[Each] extends { readonly type: 'exact_optional' } ? Each : never;
}[keyof Entries];

/**
 * A rule between parameters, which is checked when each of them is valid. The error about a request that breaks it
 * names this field.
 */
export function rule<Fields extends object>(
  field: keyof Fields & string,
  isFollowed: (fields: Fields) => boolean,
  message: string | ((fields: Fields) => string),
): v.RawCheckAction<Fields> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || isFollowed(dataset.value)) return;
    const { value } = dataset;
    const place = { type: 'unknown', origin: 'value', input: value, key: field, value: value[field] } as const;
    addIssue({ message: typeof message === 'string' ? message : message(value), path: [place] });
  });
}

/** Parameters of which exactly one of these is required. */
export type ExactlyOne<Params, Names extends keyof Params> = Omit<Params, Names> &
  { [Name in Names]: Required<Pick<Params, Name>> & Partial<Record<Exclude<Names, Name>, never>> }[Names];

/** Exactly one of two parameters is required. */
export function exactlyOne<Fields extends object>(one: keyof Fields & string, other: keyof Fields & string) {
  return rule<Fields>(
    one,
    (fields) => (fields[one] === undefined) !== (fields[other] === undefined),
    (fields) => (fields[one] === undefined ? `or ${other} is required` : `cannot be combined with ${other}`),
  );
}

/** One of these values, and a message that says which. */
export function oneOf<const Values extends readonly (string | number)[]>(values: Values) {
  return v.picklist(values, `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`);
}

/** An integer parameter with bounds, which its message names. */
export function boundedInteger(from: number, to: number, kind = 'an integer') {
  const rule = `must be ${kind} from ${from} to ${to}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(from, rule), v.maxValue(to, rule));
}

/** A flag of a request. */
export const flag = v.boolean('must be true or false');

/** A text of a request. */
export const text = v.string('must be a string');

/** A market, `BASE_QUOTE`. */
export const marketName = v.pipe(text, v.regex(marketNamePattern, 'must be a market such as "BTC_USDT"'));

/** An asset. */
export const assetTicker = v.pipe(text, v.nonEmpty('must be an asset such as "BTC"'));

/** The identifier that the caller gives an order. */
export const clientOrderId = v.pipe(
  text,
  v.regex(clientOrderIdPattern, 'must be letters, digits, dashes, dots and underscores only'),
  v.maxLength(clientOrderIdMaxLength, `must be at most ${clientOrderIdMaxLength} characters`),
);

/** The exchange's number of an order. */
export const orderId = v.pipe(
  v.number('must be an integer'),
  v.safeInteger('must be an integer'),
  v.minValue(1, 'must be above 0'),
);

/** The exchange's number of a position. */
export const positionId = orderId;

/** An amount or a price: a decimal string, or a finite number; above 0. */
export const positiveDecimal = decimalInputSchema;

/** The same, with at most this number of decimals. */
export function positiveDecimalWith(places: number) {
  const isCut = (amount: string) => decimal(amount).decimalPlaces(places).isEqualTo(amount);
  return v.pipe(positiveDecimal, v.check(isCut, `must have at most ${places} decimals`));
}

/** A time, Unix seconds, at most the year 5138: a time in milliseconds is larger, and invalid. */
export const unixSeconds = boundedInteger(0, 99_999_999_999, 'Unix seconds, an integer');

/** The kinds of orders: on spot, on margin (collateral orders of a spot market), and on futures. */
const orderKinds = ['spot', 'margin', 'futures'] as const;

/** The kind of an order: `spot`, `margin` (a collateral order of a spot market) or `futures`. */
export type OrderKind = (typeof orderKinds)[number];

const kindsRule = `must be a list of ${orderKinds.map((kind) => JSON.stringify(kind)).join(', ')}`;

/** Kinds of orders, at least one. */
export const orderKindList: v.GenericSchema<readonly OrderKind[], OrderKind[]> = v.pipe(
  v.array(oneOf(orderKinds), kindsRule),
  v.minLength(1, kindsRule),
);
