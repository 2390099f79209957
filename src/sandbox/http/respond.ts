// The processing of one request in the exchange's order (rate limit, authentication, validation, execution), with the
// injected fault that it meets, and its entry in the ledger.
import { ConnectionFault, gatewayPage, truncated, type AppliedFault, type FaultKind } from '../faults/index.js';
import type { LedgerRequest } from '../ledger.js';
import { isRecord } from '../../model/map.js';
import { wait } from '../clock.js';
import type { Key } from '../keys.js';
import { Rejection } from '../rejection.js';
import { authenticate, jsonFields, signerOf } from './authenticate.js';
import { FieldReader, readQuery, type Fields } from './fields.js';
import { rateLimitsOf } from './rate-limiter.js';
import { rejectionBody, wireField } from './render.js';
import { jsonResponse, type ArrivedRequest, type ExchangeState, type Route } from './route.js';

export function respondTo(state: ExchangeState, route: Route, request: ArrivedRequest): Response | Promise<Response> {
  if (state.gateway.isInMaintenance && route.duringMaintenance !== true) {
    new Arrival(state, route, request).lose(503);
    return gatewayPage(503);
  }
  // An injected fault waits for the test's own client; other programs that reach the port must not use it up.
  const mayMeetInjected = () =>
    route.authentication !== 'signed' || !(signerOf(state.keys, request) instanceof Rejection);
  const fault = state.gateway.faults.take(request.path, mayMeetInjected);
  const arrival = new Arrival(state, route, request, fault?.kind);
  return fault === undefined ? arrival.run() : strikes[fault.kind](arrival, fault);
}

class Arrival {
  constructor(
    readonly state: ExchangeState,
    private readonly route: Route,
    readonly request: ArrivedRequest,
    private readonly fault?: FaultKind,
  ) {}

  /** @param clientStatus the status that the client gets, when it differs from the exchange's */
  run(clientStatus?: number): Response {
    const { entry, accepted } = this.#accept(this.state.clock.now());
    const response = accepted instanceof Response ? accepted : accepted();
    entry.status = clientStatus ?? response.status;
    return response;
  }

  runOrLose(executed: boolean): Response | undefined {
    if (executed) return this.run();
    this.lose();
    return undefined;
  }

  lose(status?: number): RequestEntry {
    const { entry } = this.#enter(this.request.at);
    entry.status = status;
    return entry;
  }

  /** Accepts the request now and executes it later. The gateway counts it and uses up its nonce at once. */
  runAfter(delayMs: number): void {
    const { entry, accepted } = this.#accept(this.request.at);
    if (accepted instanceof Response) entry.status = accepted.status;
    else
      this.state.clock.after(delayMs, () => {
        entry.status = accepted().status;
      });
  }

  isAdmitted(at: number): boolean {
    return this.state.gateway.rateLimiter.admit(rateLimitsOf(this.route.path), at);
  }

  #enter(at: number) {
    const { state, request } = this;
    const signer = signerOf(state.keys, request);
    const fields = signer instanceof Rejection ? {} : jsonFields(request.body);
    const entry = logRequest(state, { ...request, at }, fields);
    if (this.fault !== undefined) entry.fault = this.fault;
    return { entry, signer };
  }

  #accept(at: number): { readonly entry: RequestEntry; readonly accepted: (() => Response) | Response } {
    const { entry, signer } = this.#enter(at);
    // The gateway's 429 is not JSON.
    if (!this.isAdmitted(at)) return { entry, accepted: new Response('Too Many Requests', { status: 429 }) };
    const accepted = this.#orErrorResponse(() => {
      const { account, fields } = this.#authenticated(signer);
      entry.account = account;
      return () => this.#orErrorResponse(() => this.#execute(entry, fields));
    });
    return { entry, accepted };
  }

  #authenticated(signer: Key | Rejection): { readonly account?: string; readonly fields?: Fields } {
    const { state, route, request } = this;
    if (route.authentication === 'none') return {};
    if (route.authentication === 'signed') return authenticate(signer, request, state.clock.now());
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const account = state.oauth.userOf(token);
    if (account === undefined) throw new Rejection(401, 0, 'Unauthenticated.');
    return { account, fields: jsonFields(request.body) ?? {} };
  }

  #execute(entry: RequestEntry, given: Fields | undefined): Response {
    const { state, route, request } = this;
    const fields = given === undefined ? readQuery(route, request.query) : this.#body(given);
    const body = route.respond({ state, account: entry.account ?? '', fields, request: { ...request, at: entry.at } });
    const id = isRecord(body) ? body[wireField('order_id')] : undefined;
    if (typeof id === 'number') entry.order_id = id;
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
  reset: afterwards(() => {
    throw new ConnectionFault('ECONNRESET');
  }),
  hang: afterwards(() => new Promise(() => undefined)),
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
    await wait(arrival.state.clock, delayMs);
    return response ?? gatewayPage(503);
  },
  truncated: afterwards(truncated),
  corrupt: afterwards(() => new Response('{"order_id": 12, "mar', { headers: { 'content-type': 'application/json' } })),
  empty: afterwards(() => new Response('')),
  html: afterwards(() => gatewayPage(200)),
  async replay(arrival, { delayMs }) {
    arrival.run();
    if (delayMs > 0) await wait(arrival.state.clock, delayMs);
    return arrival.run();
  },
  'late-execution'(arrival, { delayMs }) {
    arrival.runAfter(delayMs);
    throw new ConnectionFault('ECONNRESET');
  },
};

function afterwards(clientGets: (response: Response | undefined) => Response | Promise<Response>): Strike {
  return (arrival, { executed }) => clientGets(arrival.runOrLose(executed));
}

/** An entry of the ledger, which is filled in while its request is processed. */
type RequestEntry = { -readonly [Field in keyof LedgerRequest]: LedgerRequest[Field] };

export function logRequest(
  { gateway }: ExchangeState,
  { method, path, at }: Pick<ArrivedRequest, 'method' | 'path' | 'at'>,
  fields: Fields = {},
): RequestEntry {
  const { [wireField('client_order_id')]: id, nonce } = fields;
  const entry: RequestEntry = {
    ...{ at, method: shorten(method), path: shorten(path), account: undefined, status: undefined },
    client_order_id: typeof id === 'string' ? shorten(id) : undefined,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? shorten(String(nonce)) : undefined,
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
