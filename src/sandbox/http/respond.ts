// The processing of one request in the exchange's order (rate limit, authentication, validation, execution), with the
// injected fault that it meets, and its entry in the ledger.
import { ConnectionFault, gatewayPage, truncated, type AppliedFault, type FaultKind } from '../faults/index.js';
import type { LedgerRequest } from '../ledger.js';
import { Rejection } from '../rejection.js';
import { authenticate, isSigned, jsonFields, signedFields, type Fields } from './authenticate.js';
import { FieldReader } from './fields.js';
import { readQuery } from './query.js';
import { rateLimitsOf } from './rate-limiter.js';
import { rejectionBody, wireField } from './render.js';
import { jsonResponse, type ArrivedRequest, type ExchangeState, type Route } from './route.js';

export function respondTo(state: ExchangeState, route: Route, request: ArrivedRequest): Response | Promise<Response> {
  if (state.gateway.isInMaintenance && route.duringMaintenance !== true) {
    logRequest(state, request, { status: 503, fields: signedFields(state.keys, request) });
    return gatewayPage(503);
  }
  // An injected fault waits for the test's own client; other programs that reach the port must not use it up.
  const mayMeetInjected = () => route.authentication !== 'signed' || isSigned(state.keys, request);
  const fault = state.gateway.faults.take(request.path, mayMeetInjected);
  const arrival = new Arrival(state, route, request, fault?.kind);
  return fault === undefined ? arrival.run() : strikes[fault.kind](arrival, fault);
}

interface Findings {
  account?: string;
  fields?: Fields;
  order_id?: number;
}

class Arrival {
  constructor(
    readonly state: ExchangeState,
    readonly route: Route,
    readonly request: ArrivedRequest,
    readonly fault: FaultKind | undefined,
  ) {}

  /** @param clientStatus the status that the client gets, when it differs from the exchange's */
  run(clientStatus?: number): Response {
    const at = this.state.clock.now();
    const findings: Findings = {};
    let status = 500;
    try {
      const accepted = this.#accept(at, findings);
      const response = accepted instanceof Response ? accepted : accepted();
      status = response.status;
      return response;
    } finally {
      this.#log(at, clientStatus ?? status, findings);
    }
  }

  runOrLose(executed: boolean): Response | undefined {
    if (executed) return this.run();
    this.lose();
    return undefined;
  }

  lose(status?: number): RequestEntry {
    return this.#log(this.request.at, status, {});
  }

  /** Accepts the request now and executes it later. The gateway counts it and uses up its nonce at once. */
  runAfter(delayMs: number): void {
    const { at } = this.request;
    const findings: Findings = {};
    const accepted = this.#accept(at, findings);
    const isRejected = accepted instanceof Response;
    const entry = this.#log(at, isRejected ? accepted.status : undefined, findings);
    if (isRejected) return;
    this.state.clock.after(delayMs, () => {
      entry.status = accepted().status;
      if (findings.order_id !== undefined) entry.order_id = findings.order_id;
    });
  }

  isAdmitted(at: number): boolean {
    return this.state.gateway.rateLimiter.admit(rateLimitsOf(this.route.path), at);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.state.clock.after(ms, resolve);
    });
  }

  #accept(at: number, findings: Findings): (() => Response) | Response {
    // The gateway's 429 is not JSON.
    if (!this.isAdmitted(at)) return new Response('Too Many Requests', { status: 429 });
    return this.#orErrorResponse(() => {
      Object.assign(findings, this.#authenticated());
      return () => this.#orErrorResponse(() => this.#execute(at, findings));
    });
  }

  #authenticated(): Findings {
    const { state, route, request } = this;
    if (route.authentication === 'none') return {};
    if (route.authentication === 'signed') {
      const { key, fields } = authenticate(state.keys, request, state.clock.now());
      return { account: key.account, fields };
    }
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const account = state.oauth.userOf(token);
    if (account === undefined) throw new Rejection(401, 0, 'Unauthenticated.');
    return { account, fields: jsonFields(request.body) };
  }

  #execute(at: number, findings: Findings): Response {
    const { state, route, request } = this;
    const { account = '', fields } = findings;
    const reader = fields === undefined ? readQuery(route, request.query) : this.#body(fields);
    const body = route.respond({ state, account, fields: reader, request: { ...request, at } });
    const order_id = orderIdOf(body);
    if (order_id !== undefined) findings.order_id = order_id;
    return body instanceof Response ? body : jsonResponse(200, body);
  }

  #body(given: Fields): FieldReader {
    const { ignoreClientOrderIds: ignored } = this.state;
    const fields = new FieldReader(given, this.route, ignored === true || ignored.includes(this.request.path));
    fields.require(...(this.route.required ?? []));
    return fields;
  }

  #orErrorResponse<Result>(attempt: () => Result): Result | Response {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return this.route.errors?.(error.errors) ?? jsonResponse(error.status, rejectionBody(error));
    }
  }

  #log(at: number, status: number | undefined, findings: Findings): RequestEntry {
    const { state, request, fault } = this;
    const fields = findings.fields ?? signedFields(state.keys, request);
    return logRequest(state, { ...request, at }, { status, fault, ...findings, fields });
  }
}

type Strike = (arrival: Arrival, fault: AppliedFault) => Response | Promise<Response>;

const strikes: Readonly<Record<FaultKind, Strike>> = {
  // The gateway sends the status and counts the request, even one that does not reach the exchange.
  status(arrival, { executed, status, retryAfterSeconds }) {
    if (executed) arrival.run(status);
    else arrival.lose(arrival.isAdmitted(arrival.request.at) ? status : 429);
    return gatewayPage(status, retryAfterSeconds);
  },
  refuse(arrival) {
    arrival.lose();
    throw new ConnectionFault('ECONNREFUSED');
  },
  reset(arrival, { executed }) {
    arrival.runOrLose(executed);
    throw new ConnectionFault('ECONNRESET');
  },
  hang(arrival, { executed }) {
    arrival.runOrLose(executed);
    return new Promise(() => undefined);
  },
  'late-arrival'(arrival, { delayMs }) {
    const { clock, gateway } = arrival.state;
    const inFlight = arrival.lose();
    clock.after(delayMs, () => {
      gateway.requests.remove(inFlight);
      arrival.run();
    });
    throw new ConnectionFault('ECONNRESET');
  },
  async slow(arrival, { executed, delayMs }) {
    const response = arrival.runOrLose(executed);
    await arrival.wait(delayMs);
    return response ?? gatewayPage(503);
  },
  truncated: (arrival, { executed }) => truncated(arrival.runOrLose(executed)),
  corrupt: instead(() => new Response('{"order_id": 12, "mar', { headers: { 'content-type': 'application/json' } })),
  empty: instead(() => new Response('')),
  html: instead(() => gatewayPage(200)),
  async replay(arrival, { delayMs }) {
    arrival.run();
    if (delayMs > 0) await arrival.wait(delayMs);
    return arrival.run();
  },
  'late-execution'(arrival, { delayMs }) {
    arrival.runAfter(delayMs);
    throw new ConnectionFault('ECONNRESET');
  },
};

function instead(respond: () => Response): Strike {
  return (arrival, { executed }) => {
    arrival.runOrLose(executed);
    return respond();
  };
}

function orderIdOf(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const id: unknown = Object.entries(body).find(([field]) => field === wireField('order_id'))?.[1];
  return typeof id === 'number' ? id : undefined;
}

type RequestEntry = { -readonly [Field in keyof LedgerRequest]: LedgerRequest[Field] };

interface Outcome extends Findings {
  readonly status: number | undefined;
  readonly fault?: FaultKind | undefined;
}

export function logRequest(
  { gateway }: ExchangeState,
  { method, path, at }: Pick<ArrivedRequest, 'method' | 'path' | 'at'>,
  { status, fault, account, order_id, fields = {} }: Outcome,
): RequestEntry {
  const id = fields[wireField('client_order_id')];
  const nonce = fields['nonce'];
  const entry: RequestEntry = {
    at,
    method: shorten(method),
    path: shorten(path),
    account,
    client_order_id: typeof id === 'string' ? shorten(id) : undefined,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? shorten(String(nonce)) : undefined,
    status,
    ...(fault === undefined ? {} : { fault }),
    ...(order_id === undefined ? {} : { order_id }),
  };
  gateway.requests.push(entry);
  return entry;
}

const maxTextLength = 256;

/** Cuts a string of a client, visibly, and copies it, because a substring keeps the complete string in memory. */
export function shorten(text: string): string {
  const short = text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
  return Buffer.from(short).toString();
}
