// The ledger's list of requests: every request of every client, whatever happens to it.
import type { FaultKind } from '../faults/index.js';
import type { LedgerRequest } from '../ledger.js';
import { signedFields, type Fields } from './authenticate.js';
import { wireField } from './render.js';
import type { ExchangeState } from './exchange-state.js';
import type { ArrivedRequest, Route } from './route.js';

/** An entry whose status, order and fault may still change. */
export type RequestEntry = { -readonly [Field in keyof LedgerRequest]: LedgerRequest[Field] };

/** What the route found out about a request: filled in while the request is processed. */
export interface RequestFindings {
  account?: string;
  fields?: Fields;
  order_id?: number;
}

interface Outcome {
  readonly status: number | undefined;
  readonly fault?: FaultKind | undefined;
  readonly findings?: RequestFindings;
}

export function logRequest(
  state: ExchangeState,
  { method, rateLimit }: Route,
  request: ArrivedRequest,
  { status, fault, findings = {} }: Outcome,
): RequestEntry {
  const { path, at } = request;
  const { account, order_id, fields = signedFields(state.registry.keys, request) } = findings;
  const id = fields[wireField('client_order_id')];
  const nonce = fields['nonce'];
  return push(state, {
    at,
    method: shorten(method),
    path: shorten(path),
    rateLimit,
    account,
    client_order_id: typeof id === 'string' ? shorten(id) : undefined,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? shorten(String(nonce)) : undefined,
    status,
    ...(fault === undefined ? {} : { fault }),
    ...(order_id === undefined ? {} : { order_id }),
  });
}

export function logUnrouted(
  state: ExchangeState,
  { method, path, rateLimit }: Pick<RequestEntry, 'method' | 'path'> & Partial<Pick<RequestEntry, 'rateLimit'>>,
  status: number,
): void {
  push(state, {
    at: state.clock.now(),
    method: shorten(method),
    path: shorten(path),
    rateLimit,
    account: undefined,
    client_order_id: undefined,
    nonce: undefined,
    status,
  });
}

function push({ gateway }: ExchangeState, entry: RequestEntry): RequestEntry {
  gateway.requests.push(entry);
  return entry;
}

const maxTextLength = 256;

/** Cuts a string of a client, visibly, and copies it, because a substring keeps the complete string in memory. */
export function shorten(text: string): string {
  const short = text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
  return Buffer.from(short).toString();
}
