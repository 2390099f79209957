// The processing of one request in the exchange's order: rate limit, authentication, validation, execution.
import type { FaultKind } from '../faults/index.js';
import { publishedFields } from '../published.js';
import { Rejection } from '../rejection.js';
import { authenticate } from './authenticate.js';
import { rateLimitsOf } from './rate-limiter.js';
import { rejectionBody, wireField } from './render.js';
import type { ExchangeState } from './exchange-state.js';
import { FieldReader } from './fields.js';
import { logRequest, type RequestFindings } from './request-log.js';
import { jsonResponse, type ArrivedRequest, type Route, type SignedRoute } from './route.js';

/** Executes a request that was accepted. */
type Execution = () => Response;

interface FaultContext {
  readonly fault?: FaultKind;
  /** The status that the client gets, when it differs from the exchange's. */
  readonly clientStatus?: number | undefined;
}

/** Executes a request, and logs it even when the execution throws. */
export function execute(
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
  { fault, clientStatus }: FaultContext = {},
): Response {
  const findings: RequestFindings = {};
  let status = 500;
  try {
    const accepted = exceedsRateLimit(state, route, request) ?? accept(state, route, request, findings);
    const response = accepted instanceof Response ? accepted : accepted();
    status = response.status;
    return response;
  } finally {
    logRequest(state, route, request, { status: clientStatus ?? status, fault, findings });
  }
}

/** Accepts a request now and executes it later. The gateway counts it and uses up its nonce at once. */
export function acceptNow(state: ExchangeState, route: Route, request: ArrivedRequest, delayMs: number): void {
  const findings: RequestFindings = {};
  const accepted = exceedsRateLimit(state, route, request) ?? accept(state, route, request, findings);
  const isRejected = accepted instanceof Response;
  const entry = logRequest(state, route, request, {
    status: isRejected ? accepted.status : undefined,
    fault: 'late-execution',
    findings,
  });
  if (isRejected) return;
  state.clock.after(delayMs, () => {
    entry.status = accepted().status;
    if (findings.order_id !== undefined) entry.order_id = findings.order_id;
  });
}

/** The gateway's 429, which is not JSON: the gateway does not queue requests. */
export function exceedsRateLimit(
  { gateway }: ExchangeState,
  route: Route,
  { at }: ArrivedRequest,
): Response | undefined {
  return gateway.rateLimiter.admit(rateLimitsOf(route), at)
    ? undefined
    : new Response('Too Many Requests', { status: 429 });
}

/** Authenticates the request; returns its execution, or the error response. */
function accept(
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
  findings: RequestFindings,
): Execution | Response {
  if (route.authentication === 'none') return () => toResponse(route.respond(state, request));
  return orErrorResponse(() => {
    const { key, fields } = authenticate(state.registry.keys, request, state.clock.now());
    findings.account = key.account;
    findings.fields = fields;
    return () => orErrorResponse(() => respondSigned(state, route, request, findings));
  });
}

function respondSigned(
  state: ExchangeState,
  route: SignedRoute,
  { path, params, at }: ArrivedRequest,
  findings: RequestFindings,
): Response {
  const { ignoreClientOrderIds } = state.lists;
  const { account = '', fields: rawFields = {} } = findings;
  const ignoresClientOrderIds = ignoreClientOrderIds === true || ignoreClientOrderIds.includes(path);
  const fields = new FieldReader(rawFields, ignoresClientOrderIds, publishedFields(route.path));
  const body = route.respond({ state, account, fields, rawFields, params, acceptedAt: at });
  const order_id = orderIdOf(body);
  if (order_id !== undefined) findings.order_id = order_id;
  return toResponse(body);
}

function toResponse(body: unknown): Response {
  return body instanceof Response ? body : jsonResponse(200, body);
}

function orErrorResponse<Result>(attempt: () => Result): Result | Response {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return jsonResponse(error.status, rejectionBody(error));
  }
}

function orderIdOf(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const id: unknown = Object.entries(body).find(([field]) => field === wireField('order_id'))?.[1];
  return typeof id === 'number' ? id : undefined;
}
