// The fields of a body or a query, checked as the spec's tables say, with the code and the field of each rejection.
import {
  clientOrderIdMaxLength,
  clientOrderIdPattern,
  liveStpModes,
  orderSides,
  positionSides,
  stpModes,
} from '../../model/order.js';
import type { OrderSide, PositionSide, StpMode } from '../../model/order.js';
import { decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import { isRecord } from '../../model/map.js';
import { invalid, invalidFields, malformed } from '../rejection.js';
import { wireField } from './render.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface PublishedField {
  /** Of a field of a query. Default: a text. */
  readonly type?: 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: string | number;
}

export interface PublishedFields {
  /** The fields of the query, or the bounds and defaults of the body, by their names on the wire. */
  readonly fields?: Readonly<Record<string, PublishedField>>;
  /** The names of the required fields; a request without one of them does not reach the route's function. */
  readonly required?: readonly string[];
}

type IntegerRule = Pick<PublishedField, 'minimum' | 'maximum' | 'default'>;

/** Reads the fields of one request: by the spec's names, from the names on the wire. */
export class FieldReader {
  constructor(
    readonly fields: Fields,
    private readonly published: PublishedFields = {},
    private readonly ignoresClientOrderIds = false,
  ) {}

  ofItem(item: unknown): FieldReader {
    return new FieldReader(isRecord(item) ? item : {}, {}, this.ignoresClientOrderIds);
  }

  /** Rejects a request without one of these fields; an empty text is there. */
  require(...names: readonly string[]): void {
    const missing = names.filter((name) => this.value(name) === undefined);
    if (missing.length === 0) return;
    const errors = missing.map((name) => [name, [`${this.#label(name)} field is required.`]] as const);
    throw invalidFields(422, apiErrorCodes.validation, Object.fromEntries(errors));
  }

  /** The field's value; `undefined` for `null`. */
  value(name: string): unknown {
    const value = this.fields[wireField(name)];
    return value === null ? undefined : value;
  }

  text(name: string): string | undefined {
    const { maxLength = Number.POSITIVE_INFINITY } = this.#rule(name);
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw malformed(name, `${this.#label(name)} field should be a string.`);
    if (value.length > maxLength) throw malformed(name, `The ${name} may not be greater than ${maxLength} characters.`);
    return value;
  }

  textOrEmpty(name: string): string {
    return this.text(name) ?? '';
  }

  integer(
    name: string,
    { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, default: missing }: IntegerRule = this.#rule(name),
  ): number | undefined {
    const value = this.value(name) ?? missing;
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw malformed(name, `${this.#label(name)} field should be an integer.`);
    if (value < minimum) throw malformed(name, `The ${name} must be at least ${minimum}.`);
    if (value > maximum) throw malformed(name, `The ${name} may not be greater than ${maximum}.`);
    return value;
  }

  page<Item>(items: readonly Item[]): { readonly limit: number; readonly offset: number; readonly records: Item[] } {
    const limit = this.integer('limit') ?? 0;
    const offset = this.integer('offset') ?? 0;
    return { limit, offset, records: items.slice(offset, offset + limit) };
  }

  /** A page whose items the exchange calls `data`. */
  dataPage<Item>(items: readonly Item[]) {
    const { records: data, ...bounds } = this.page(items);
    return { ...bounds, data };
  }

  matching<Item>(
    items: readonly Item[],
    valuesOf: Readonly<Record<string, (item: Item) => string | null | undefined>>,
  ): Item[] {
    const wanted = Object.entries(valuesOf).map(([name, valueOf]) => [this.text(name), valueOf] as const);
    return items.filter((item) => wanted.every(([value, valueOf]) => value === undefined || valueOf(item) === value));
  }

  ofMarket<Item>(items: readonly Item[], marketOf: (item: Item) => string): readonly Item[] {
    const market = this.optionalMarket();
    return market === undefined ? items : items.filter((item) => marketOf(item) === market);
  }

  /** The period of a list, Unix seconds, and whether it has a time. */
  period(begin = 'startDate', end = 'endDate') {
    const [from, to] = [this.integer(begin) ?? 0, this.integer(end) ?? Number.POSITIVE_INFINITY];
    return { from, to, has: (seconds: number) => seconds >= from && seconds <= to };
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== 'boolean') throw malformed(name, `The ${name} field must be true or false.`);
    return value;
  }

  market(): string {
    const market = this.value('market');
    if (market === '') throw invalid(422, apiErrorCodes.market, 'market', 'Market field should not be empty string.');
    if (typeof market !== 'string') throw invalid(422, apiErrorCodes.market, 'market', 'Market is not available.');
    return market;
  }

  optionalMarket(): string | undefined {
    return this.value('market') === undefined ? undefined : this.market();
  }

  /** Published for cancels: a market that is no text is a general validation error. */
  marketToCancel(): string | undefined {
    const market = this.value('market') ?? '';
    const messages = ['Market field should be a string.', 'Market field format is invalid.'];
    if (typeof market !== 'string') throw malformed('market', ...messages);
    return this.optionalMarket();
  }

  side(): OrderSide {
    const side = orderSides.find((known) => known === this.value('side'));
    if (side === undefined) throw malformed('side', "Side field should contain only 'buy' or 'sell' values.");
    return side;
  }

  positionSide(): PositionSide | undefined {
    const given = this.value('positionSide');
    const side = positionSides.find((known) => known === given);
    if (given !== side) throw invalid(422, 114, 'positionSide', 'The selected positionSide is invalid.');
    return side;
  }

  amount(): string {
    return this.#decimal('amount', apiErrorCodes.amount);
  }

  price(name: string): string {
    return this.#decimal(name, name === 'price' ? apiErrorCodes.price : apiErrorCodes.validation);
  }

  optionalPrice(name: string): string | undefined {
    return this.value(name) === undefined ? undefined : this.price(name);
  }

  stp(): StpMode {
    const given = this.value('stp') ?? 'no';
    const mode = stpModes.find((known) => known === given || liveStpModes[known] === given);
    if (mode === undefined) throw malformed('stp', 'The selected stp is invalid.');
    return mode;
  }

  clientOrderId(): string {
    const id = this.value('client_order_id');
    if (id === undefined || this.ignoresClientOrderIds) return '';
    const reject = (message: string) => invalid(422, apiErrorCodes.clientOrderId, 'client_order_id', message);
    const label = this.#label('client_order_id');
    if (typeof id !== 'string') throw reject(`${label} field should be a string.`);
    // As published; dots and underscores are accepted, too.
    if (!clientOrderIdPattern.test(id))
      throw reject(`${label} field should contain only latin letters, numbers and dashes.`);
    if (id.length > clientOrderIdMaxLength)
      throw reject(`Client order id may not be greater than ${clientOrderIdMaxLength} characters.`);
    return id;
  }

  /** The exchange's ID of an order; lists accept it as digits in a string, too. */
  orderId({ asDigits }: { readonly asDigits: boolean }): number | undefined {
    const value = this.value('order_id');
    if (asDigits && typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)) return Number(value);
    return this.integer('order_id', { minimum: 1 });
  }

  #rule(name: string): Partial<PublishedField> {
    return this.published.fields?.[wireField(name)] ?? {};
  }

  #decimal(name: string, code: number): string {
    const value = this.value(name);
    const text = typeof value === 'number' ? decimal(value).toFixed() : value;
    const label = this.#label(name);
    if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text))
      throw invalid(422, code, name, `${label} field should be numeric string or number.`);
    if (!decimal(text).isGreaterThan(0)) throw invalid(422, code, name, `${label} should be greater than 0.`);
    return text;
  }

  /** The field in a text: `ClientOrderId`, `Activation price`. */
  #label(name: string): string {
    const field = wireField(name).replaceAll('_', ' ');
    return field.charAt(0).toUpperCase() + field.slice(1);
  }
}

/** Reads all fields of a query, because the rejection names each that is invalid. */
export function readQuery({ fields = {}, required = [] }: PublishedFields, query: string): FieldReader {
  const given = new URLSearchParams(query);
  const errors: Record<string, string[]> = {};
  const values: Record<string, string | number> = {};
  for (const [name, field] of Object.entries(fields)) {
    const isRequired = required.includes(name);
    const text = given.get(name) ?? '';
    const value = text === '' && !isRequired ? String(field.default ?? '') : text;
    const problem = value === '' ? undefined : problemOf(name, value, field);
    if (problem !== undefined) errors[name] = [problem];
    else if (value !== '') values[name] = field.type === 'integer' ? Number(value) : value;
    else if (isRequired) errors[name] = [`The ${name} field is required.`];
  }
  if (Object.keys(errors).length > 0) throw invalidFields(422, apiErrorCodes.validation, errors);
  return new FieldReader(values, { fields });
}

function problemOf(name: string, text: string, { type, enum: known, minimum = 0, maximum = Infinity }: PublishedField) {
  if (known?.includes(text) === false) return `The selected ${name} is invalid.`;
  if (type !== 'integer') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) return `The ${name} must be an integer.`;
  if (Number(text) < minimum) return `The ${name} must be at least ${minimum}.`;
  return Number(text) > maximum ? `The ${name} may not be greater than ${maximum}.` : undefined;
}
