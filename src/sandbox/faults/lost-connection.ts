// What clients get when a fault replaces the exchange's response, or when their connection is lost.

export class ConnectionFault extends Error {
  constructor(readonly code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(code);
  }
}

export function gatewayPage(status: number, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'content-type': 'text/html' });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(
    `<html><body><h1>${status} ${status === 503 ? 'Service Temporarily Unavailable' : 'Maintenance'}</h1></body></html>`,
    { status, headers },
  );
}

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

export async function truncated(response: Response | undefined): Promise<Response> {
  const body = new TextEncoder().encode((await response?.text()) ?? '{"order_id": ');
  return new TruncatedResponse(body.slice(0, body.length / 2), body.length, response?.status ?? 200);
}
