// Responding to a request, with the injected fault that it meets.
import {
  faultyResponse,
  gatewayPage,
  withMalformedRecords,
  withUnexpectedFields,
  type AppliedFault,
} from '../faults/index.js';
import { isSigned } from './authenticate.js';
import type { ExchangeState } from './exchange-state.js';
import { acceptNow, exceedsRateLimit, execute } from './execute.js';
import { logRequest, type RequestEntry } from './request-log.js';
import { jsonResponse, type ArrivedRequest, type Route } from './route.js';

/** Responds to a request; throws a ConnectionFault when the fault loses the connection. */
export async function respondWithFaults(
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
): Promise<Response> {
  if (state.isInMaintenance && route.duringMaintenance !== true) {
    logRequest(state, route, request, { status: 503 });
    return gatewayPage(503);
  }
  // An injected fault waits for the test's own client; other programs that reach the port must not use it up.
  const mayMeetInjected = () => route.authentication === 'none' || isSigned(state.keys, request);
  const fault = state.faults.take(request.path, mayMeetInjected);
  return fault === undefined ? execute(state, route, request) : respondWith(fault, state, route, request);
}

async function respondWith(
  fault: AppliedFault,
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
): Promise<Response> {
  const { kind, executed, delayMs } = fault;
  const wait = () =>
    new Promise<void>((resolve) => {
      state.clock.after(delayMs, resolve);
    });
  const run = (clientStatus?: number) =>
    execute(state, route, { ...request, at: state.clock.now() }, { fault: kind, clientStatus });
  const logLost = (status?: number) => logRequest(state, route, request, { status, fault: kind });
  const runOrLose = (isExecuted: boolean) => {
    if (isExecuted) return run();
    logLost();
    return undefined;
  };
  switch (kind) {
    case 'late-arrival': {
      const inFlight = logLost();
      state.clock.after(delayMs, () => {
        state.requests.remove(inFlight);
        run();
      });
      return faultyResponse(undefined, kind, fault);
    }
    case 'late-execution':
      acceptNow(state, route, request, delayMs);
      return faultyResponse(undefined, kind, fault);
    case 'replay':
      run();
      if (delayMs > 0) await wait();
      return run();
    case 'slow': {
      const response = runOrLose(executed);
      await wait();
      return response ?? gatewayPage(503);
    }
    case 'unexpected-fields':
    case 'malformed-records':
      return respondAltered(fault, state, route, request);
    case 'status':
      // The gateway sends the status and counts the request, even one that does not reach the exchange.
      if (executed) run(fault.status);
      else logLost(exceedsRateLimit(state, route, request)?.status ?? fault.status);
      return faultyResponse(undefined, kind, fault);
    default:
      return faultyResponse(runOrLose(executed && kind !== 'refuse'), kind, fault);
  }
}

/** Alters the body of a success; restores the fault when there is nothing to alter. */
async function respondAltered(
  { kind, restore }: AppliedFault,
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
): Promise<Response> {
  const alter = kind === 'unexpected-fields' ? withUnexpectedFields : withMalformedRecords;
  let entry: RequestEntry | undefined;
  const onLogged = (logged: RequestEntry) => {
    entry = logged;
  };
  const response = execute(state, route, request, { fault: kind, onLogged });
  const body = response.ok ? await readJson(response.clone()) : undefined;
  const altered = body === undefined ? undefined : alter(body, state.random);
  if (altered !== undefined) return jsonResponse(response.status, altered);
  restore();
  delete entry?.fault;
  return response;
}

/** A custom route may respond with anything. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}
