// What the pages and docstrings say of an endpoint's definition.
import type { Endpoint, ErrorCode, OrderSearch, PagedList, Safety } from '../../src/endpoint/index.js';
import { parameterNames } from '../../src/endpoint/index.js';
import { apiErrorCodes } from '../../src/model/error-body.js';

/** A member of a group. */
export type Member = Endpoint | PagedList | OrderSearch;

const authentication: Readonly<Record<Endpoint['authentication'], string>> = {
  none: 'public',
  signed: 'signed',
  form: 'authenticated by its parameters',
  bearer: 'authenticated by an access token',
};

const retries: Readonly<Record<Safety, string>> = {
  read: 'a read, retried after a transient failure',
  idempotent: 'idempotent, retried after a transient failure',
  order: 'an order, retried only when it is known or proven that it does not exist',
  orders: 'orders, each retried only when it is known or proven that it does not exist',
  keyed: 'moves money under a key, retried only when it is known that it was not executed',
  once: 'retried only when it is known that it was not executed',
};

export function limitOf({ limit, windowMs }: Pick<Endpoint['rateLimits'][0], 'limit' | 'windowMs'>): string {
  return `${limit} ${limit === 1 ? 'request' : 'requests'} / ${windowMs / 1000} s`;
}

/** The limits, and their names where several endpoints share them. */
export function namedLimit({ name, rateLimits }: Endpoint): string {
  return rateLimits
    .map((rateLimit) => limitOf(rateLimit) + (rateLimit.name === name ? '' : ` (rate limit \`${rateLimit.name}\`)`))
    .join(' and ');
}

export function authenticationOf(endpoint: Endpoint): string {
  return authentication[endpoint.authentication];
}

/** Method, path, authentication, limit, priority and retries in one line. */
export function facts(endpoint: Endpoint): string {
  const { method, path, safety, priority } = endpoint;
  return [
    `\`${method} ${path}\``,
    authenticationOf(endpoint),
    namedLimit(endpoint),
    ...(priority === undefined ? [] : [`priority \`${priority}\``]),
    retries[safety],
  ].join(' · ');
}

/** What every list of all items, and every call that places orders, promises. */
export function promiseOf(member: Member): string | undefined {
  if ('pagesOf' in member)
    return `Reads pages of 100 by {@link ${member.pagesOf.name.split('.').at(-1)}}, and the next page once the items of the previous one were taken: \`take(5)\` reads one page. The exchange lists at most 10100 items of a list: {@link RequestError} after them where there may be more.`;
  if ('finds' in member) return undefined;
  if (member.safety === 'order')
    return 'The observable places at most one order, no matter how often it is subscribed to or retried.';
  return member.safety === 'orders'
    ? 'Each order is one order: after a lost response each is looked up by its `client_order_id`, and only an order that is proven absent is sent again.'
    : undefined;
}

/** A code or a status of the exchange, as an endpoint reads it. */
export interface Meaning {
  readonly code: number | undefined;
  readonly status: number | undefined;
  readonly reason: string;
  /** The keys of `errors` that it needs, if any. */
  readonly fields: readonly string[];
}

/** Parameters that not all order endpoints have. Their codes stand in a list that the order endpoints share. */
const ownParameters: readonly string[] = ['price', 'activation_price', 'stop_limit_price', 'stopLoss', 'takeProfit'];

/** The codes and statuses of an endpoint, and codes 30 and 31, which every signed endpoint has. */
export function meaningsOf(endpoint: Endpoint): Meaning[] {
  const parameters = parameterNames(endpoint.item ?? endpoint);
  const isSigned = endpoint.authentication === 'signed';
  const common: readonly ErrorCode[] = [
    ...(isSigned ? [{ code: apiErrorCodes.validation, reason: 'validation' as const }] : []),
    ...(isSigned && parameters.includes('market') ? [{ code: apiErrorCodes.market, reason: 'market' as const }] : []),
  ];
  const meanings = new Map<string, Meaning>();
  for (const { code, status, reason, field } of [...(endpoint.errorCodes ?? []), ...common]) {
    if (field !== undefined && ownParameters.includes(field) && !parameters.includes(field)) continue;
    const key = `${code} ${status} ${reason}`;
    const fields = [...(meanings.get(key)?.fields ?? []), ...(field === undefined ? [] : [field])];
    meanings.set(key, { code, status, reason, fields });
  }
  return [...meanings.values()].sort(byCode);
}

/** Codes first, in their order; then statuses. */
function byCode(one: Meaning, other: Meaning): number {
  const rank = ({ code = Infinity, status = 0 }: Meaning) => [code, status] as const;
  const [[code, status], [otherCode, otherStatus]] = [rank(one), rank(other)];
  return code === otherCode ? status - otherStatus : code - otherCode;
}

/** By which a meaning is recognized, beside the keys of `errors`: `30`, `HTTP 451`. */
export function markOf({ code, status }: Meaning): string {
  return [...(code === undefined ? [] : [`${code}`]), ...(status === undefined ? [] : [`HTTP ${status}`])].join(', ');
}

export function about({ fields }: Meaning): string {
  return fields.map((field) => `\`errors.${field}\``).join(' or ');
}
