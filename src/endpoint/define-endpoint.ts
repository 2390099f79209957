// Defines an endpoint, and says what its definition means for requests and errors.
import * as v from 'valibot';
import type {
  BulkEntry,
  BulkOrderEndpoint,
  Endpoint,
  EndpointDefinition,
  LimitWindow,
  OrderEndpoint,
  RateLimit,
  RecordLookup,
  RequestCheck,
  RequestSchema,
  WireFields,
} from './endpoint.js';

/** A {@link RecordLookup}, with the types of its list. */
export function recordLookup<Output, Page, Item>(lookup: RecordLookup<Output, Page, Item>): RecordLookup<Output> {
  return lookup;
}

/** A {@link RequestCheck}, with the types of its lists. */
export function checkedBy<One, Other>(
  one: Endpoint<object, One>,
  other: Endpoint<object, Other>,
  issuesOf: (fields: WireFields, one: One, other: Other) => ReturnType<RequestCheck['issuesOf']>,
): RequestCheck;
export function checkedBy(
  one: Endpoint<object>,
  other: Endpoint<object>,
  issuesOf: RequestCheck['issuesOf'],
): RequestCheck {
  return { lists: [one, other], issuesOf };
}

export function placesOrders({ safety }: Pick<Endpoint, 'safety'>): boolean {
  return safety === 'order' || safety === 'orders';
}

/**
 * Defines an endpoint. An endpoint that this package lacks takes the same few lines as one of its own, and gets the
 * same limits, signing, checks, retries and errors. By default it is a signed POST of 10000 requests / 10 s. Throws a
 * TypeError for an endpoint that is not signed and has no `rateLimit`.
 *
 * @example
 * ```ts
 * import { defineEndpoint } from 'exchange-rx';
 * import * as v from 'valibot';
 *
 * const estimate = defineEndpoint({
 *   name: 'convert.estimate',
 *   path: '/api/v4/convert/estimate',
 *   safety: 'read',
 *   request: v.strictObject({ from: v.string(), to: v.string(), direction: v.picklist(['from', 'to']), amount: v.string() }),
 *   response: v.looseObject({ id: v.string(), give: v.string(), receive: v.string() }),
 * });
 * ```
 */
export function defineEndpoint<Request extends RequestSchema, Response extends v.GenericSchema>(
  definition: EndpointDefinition<Request, Response> & { readonly safety: 'order' },
): OrderEndpoint<v.InferInput<Request>, v.InferOutput<Response>>;
export function defineEndpoint<Request extends RequestSchema, Output>(
  definition: EndpointDefinition<Request, v.GenericSchema<unknown, readonly BulkEntry<Output>[]>> & {
    readonly safety: 'orders';
    readonly item: OrderEndpoint<never, Output>;
  },
): BulkOrderEndpoint<v.InferInput<Request>, Output>;
export function defineEndpoint<Request extends RequestSchema, Response extends v.GenericSchema>(
  definition: EndpointDefinition<Request, Response>,
): Endpoint<v.InferInput<Request>, v.InferOutput<Response>>;
export function defineEndpoint(definition: EndpointDefinition<RequestSchema, v.GenericSchema>): Endpoint {
  const { name, method = 'POST' } = definition;
  const { authentication = method === 'POST' ? 'signed' : 'none' } = definition;
  // The exchange publishes this limit for most of its signed endpoints.
  const isPrivate = authentication === 'signed' || authentication === 'bearer';
  const usual = isPrivate ? { limit: 10_000, windowMs: 10_000 } : undefined;
  const { rateLimit = usual, request = v.strictObject({}), ...rest } = definition;
  if (rateLimit === undefined) throw new TypeError(`defineEndpoint: ${name}: rateLimit is required unless signed`);
  const [first, ...others] = isList(rateLimit) ? rateLimit : [rateLimit];
  const named = (limit: LimitWindow | RateLimit) => ('name' in limit ? limit : { ...limit, name });
  const confidential = rest.confidential === true || authentication === 'form' || authentication === 'bearer';
  const rateLimits = [named(first), ...others.map(named)] as const;
  return { ...rest, method, authentication, confidential, request, rateLimits };
}

function isList<One extends object>(rateLimit: One): rateLimit is Extract<One, readonly unknown[]> {
  return Array.isArray(rateLimit);
}

/** Parameters of a path: names in braces, as in `/api/v4/public/orderbook/{market}`. */
const inBraces = /\{([^{}]*)\}/g;

export function pathParameters(path: string): readonly string[] {
  return path.includes('{') ? [...path.matchAll(inBraces)].map(([, name = '']) => name) : [];
}

export function filledPath(path: string, valueOf: (name: string) => string): string {
  return path.includes('{') ? path.replace(inBraces, (_, name: string) => valueOf(name)) : path;
}

/** Empty where the schema names none: a record accepts any name, which is then data of the request. */
export function parameterNames({ request }: Pick<Endpoint, 'request'>): readonly string[] {
  return 'entries' in request && typeof request.entries === 'object' && request.entries !== null
    ? Object.keys(request.entries)
    : [];
}

/** The parameter of an endpoint with authentication `bearer` that holds the access token. */
export const accessTokenParameter = 'access_token';

/** Whether an endpoint has no parameters: options are the only argument of its calls. */
export function hasNoParameters(endpoint: Endpoint): endpoint is Endpoint<NoParams> {
  const { request } = endpoint;
  return (request.type === 'strict_object' || request.type === 'object') && parameterNames({ request }).length === 0;
}

/** The parameters of an endpoint that has none: an object without fields. */
export type NoParams = object;

/**
 * The arguments of a call: parameters and options. Options are the only argument where the endpoint has no parameters;
 * parameters may be left out where all of them are optional.
 */
export type CallArguments<Params extends object, Options> = keyof Params extends never
  ? [options?: Options]
  : Readonly<Record<string, never>> extends Params
    ? [params?: Params, options?: Options]
    : [params: Params, options?: Options];
