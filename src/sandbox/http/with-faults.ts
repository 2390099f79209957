// Responding to a request, with the injected fault that it meets.
import { ConnectionFault, gatewayPage, truncated, type AppliedFault, type FaultKind } from '../faults/index.js';
import { isSigned } from './authenticate.js';
import type { ExchangeState } from './exchange-state.js';
import { acceptNow, exceedsRateLimit, execute } from './execute.js';
import { logRequest, type RequestEntry } from './request-log.js';
import type { ArrivedRequest, Route } from './route.js';

/** Responds to a request; throws a ConnectionFault when the fault loses the connection. */
export async function respondWithFaults(
  state: ExchangeState,
  route: Route,
  request: ArrivedRequest,
): Promise<Response> {
  if (state.gateway.isInMaintenance && route.duringMaintenance !== true) {
    logRequest(state, route, request, { status: 503 });
    return gatewayPage(503);
  }
  // An injected fault waits for the test's own client; other programs that reach the port must not use it up.
  const mayMeetInjected = () => route.authentication === 'none' || isSigned(state.registry.keys, request);
  const fault = state.gateway.faults.take(request.path, mayMeetInjected);
  if (fault === undefined) return execute(state, route, request);
  return strikes[fault.kind](new Meeting(fault, state, route, request));
}

class Meeting {
  constructor(
    readonly fault: AppliedFault,
    readonly state: ExchangeState,
    readonly route: Route,
    readonly request: ArrivedRequest,
  ) {}

  /** Executes the request now. `clientStatus` is the status that the client gets, when it differs from the exchange's. */
  run(clientStatus?: number): Response {
    const { fault, state, route, request } = this;
    return execute(state, route, { ...request, at: state.clock.now() }, { fault: fault.kind, clientStatus });
  }

  /** Logs a request that does not reach the exchange. */
  lose(status?: number): RequestEntry {
    return logRequest(this.state, this.route, this.request, { status, fault: this.fault.kind });
  }

  runOrLose(): Response | undefined {
    if (this.fault.executed) return this.run();
    this.lose();
    return undefined;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.state.clock.after(this.fault.delayMs, resolve);
    });
  }
}

type Strike = (meeting: Meeting) => Response | Promise<Response>;

const strikes: Readonly<Record<FaultKind, Strike>> = {
  // The gateway sends the status and counts the request, even one that does not reach the exchange.
  status(meeting) {
    const { executed, status, retryAfterSeconds } = meeting.fault;
    if (executed) meeting.run(status);
    else meeting.lose(exceedsRateLimit(meeting.state, meeting.route, meeting.request)?.status ?? status);
    return gatewayPage(status, retryAfterSeconds);
  },
  refuse(meeting) {
    meeting.lose();
    throw new ConnectionFault('ECONNREFUSED');
  },
  reset(meeting) {
    meeting.runOrLose();
    throw new ConnectionFault('ECONNRESET');
  },
  hang(meeting) {
    meeting.runOrLose();
    return new Promise(() => undefined);
  },
  'late-arrival'(meeting) {
    const { state, fault } = meeting;
    const inFlight = meeting.lose();
    state.clock.after(fault.delayMs, () => {
      state.gateway.requests.remove(inFlight);
      meeting.run();
    });
    throw new ConnectionFault('ECONNRESET');
  },
  async slow(meeting) {
    const response = meeting.runOrLose();
    await meeting.wait();
    return response ?? gatewayPage(503);
  },
  truncated: (meeting) => truncated(meeting.runOrLose()),
  corrupt: instead(() => new Response('{"order_id": 12, "mar', { headers: { 'content-type': 'application/json' } })),
  empty: instead(() => new Response('')),
  html: instead(() => gatewayPage(200)),
  async replay(meeting) {
    meeting.run();
    if (meeting.fault.delayMs > 0) await meeting.wait();
    return meeting.run();
  },
  'late-execution'({ state, route, request, fault }) {
    acceptNow(state, route, request, fault.delayMs);
    throw new ConnectionFault('ECONNRESET');
  },
};

/** Another response than that of the exchange. */
function instead(respond: () => Response): Strike {
  return (meeting) => {
    meeting.runOrLose();
    return respond();
  };
}
