// The responses that clients get when a fault replaces the exchange's response, and the loss of a connection.
import type { FaultKind } from './fault.js';
import type { AppliedFault } from './injected-faults.js';

/** The connection ends without a response. */
export class ConnectionFault extends Error {
  constructor(readonly code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(code);
  }
}

/** The kinds of faults that replace the response or lose it. */
export type ReplacingKind = Exclude<FaultKind, 'slow' | 'replay' | 'unexpected-fields' | 'malformed-records'>;

/** What the client gets instead of the exchange's response; throws {@link ConnectionFault} for a lost connection. */
export function faultyResponse(
  response: Response | undefined,
  kind: ReplacingKind,
  { status, retryAfterSeconds, hang }: AppliedFault,
): Promise<Response> | Response {
  switch (kind) {
    case 'status':
      return gatewayPage(status, retryAfterSeconds);
    case 'refuse':
    case 'reset':
      throw new ConnectionFault(kind === 'refuse' ? 'ECONNREFUSED' : 'ECONNRESET');
    case 'late-arrival':
    case 'late-execution':
      if (hang) return new Promise(() => undefined);
      throw new ConnectionFault('ECONNRESET');
    case 'hang':
      return new Promise(() => undefined);
    case 'truncated':
      return truncate(response);
    case 'corrupt':
      return new Response('{"order_id": 12, "mar', { status: 200, headers: { 'content-type': 'application/json' } });
    case 'empty':
      return new Response('', { status: 200 });
    case 'html':
      return gatewayPage(200);
  }
}

/** The HTML page of a gateway. */
export function gatewayPage(status: number, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'content-type': 'text/html' });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(
    `<html><body><h1>${status} ${status === 503 ? 'Service Temporarily Unavailable' : 'Maintenance'}</h1></body></html>`,
    { status, headers },
  );
}

/** A response whose connection is lost after the first half of the body. */
export class TruncatedResponse extends Response {
  constructor(
    readonly firstHalf: Uint8Array,
    /** Length of the complete body, bytes. */
    readonly fullLength: number,
    status: number,
  ) {
    let isSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isSent) controller.error(new ConnectionFault('ECONNRESET'));
        else controller.enqueue(firstHalf);
        isSent = true;
      },
    });
    super(body, { status, headers: { 'content-type': 'application/json' } });
  }
}

async function truncate(response: Response | undefined): Promise<Response> {
  const body = new TextEncoder().encode((await response?.text()) ?? '{"order_id": ');
  return new TruncatedResponse(body.slice(0, body.length / 2), body.length, response?.status ?? 200);
}
