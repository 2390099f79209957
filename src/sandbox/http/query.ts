// The query of a public request, checked against the published fields, and the error responses of public endpoints.
import { apiErrorCodes, type FieldErrors } from '../../model/error-body.js';
import type { MarketView } from '../engine/index.js';
import { invalid, invalidFields } from '../rejection.js';
import { FieldReader, type PublishedField, type PublishedFields } from './fields.js';
import { jsonResponse, type ExchangeState } from './route.js';

/** Reads all fields, because the rejection names each that is invalid. */
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
    else if (value !== '') values[name] = field.type === 'integer' ? clamped(Number(value), field) : value;
    else if (isRequired) errors[name] = [`The ${name} field is required.`];
  }
  if (Object.keys(errors).length > 0) throw invalidFields(422, apiErrorCodes.validation, errors);
  return new FieldReader(values, { fields });
}

export function marketOf({ engine }: ExchangeState, name: string | undefined): MarketView {
  const view = engine.views().find(({ listing }) => listing.name === name);
  if (view === undefined) throw unavailable();
  return view;
}

export const unavailable = () => invalid(422, apiErrorCodes.market, 'market', 'Market is not available.');

type Errors = (errors: FieldErrors) => Response;

/** Published for the order book: 422, and the errors by field without code and message. */
export const bareErrors: Errors = (errors) => jsonResponse(422, errors);

/** Published for the funding history: 422, with texts instead of lists, except for the market. */
export const textErrors: Errors = ({ market, ...others }) => {
  const texts = Object.fromEntries(Object.entries(others).map(([field, messages]) => [field, messages.join(' ')]));
  return jsonResponse(422, { ...(market === undefined ? {} : { market }), ...texts });
};

/** Published for wrapped responses: 200, with the errors as the message, and with this result. */
export function wrappedErrors(result: null | readonly []): Errors {
  return (message) => jsonResponse(200, { success: false, message, result });
}

export function wrapped(result: unknown): unknown {
  return { success: true, message: null, result };
}

function problemOf(name: string, value: string, field: PublishedField) {
  const { type, minimum = -Infinity, maximum = Infinity, isClamped = false } = field;
  if (field.enum?.includes(value) === false) return `The selected ${name} is invalid.`;
  if (type !== 'integer') return undefined;
  if (!/^-?\d{1,15}$/.test(value)) return `The ${name} must be an integer.`;
  if (isClamped) return undefined;
  if (Number(value) < minimum) return `The ${name} must be at least ${minimum}.`;
  return Number(value) > maximum ? `The ${name} may not be greater than ${maximum}.` : undefined;
}

function clamped(value: number, { minimum = value, maximum = value }: PublishedField): number {
  return Math.min(Math.max(value, minimum), maximum);
}
