// A fetch that records its requests, and a client of it.
import { createExchange, createScheduler, type Fetch } from 'exchange-rx';

export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Responds to every request with the given function, and records the requests. */
export function recordingFetch(answer: (sent: Sent) => Response | Promise<Response>): {
  readonly fetch: Fetch;
  readonly sent: Sent[];
} {
  const sent: Sent[] = [];
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const one = { url: request.url, method: request.method, headers: request.headers, body: await request.text() };
    sent.push(one);
    return answer(one);
  };
  return { fetch, sent };
}

export function jsonAnswer(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** A client without retries whose requests get these bodies, one each, and the last one again. */
export function clientThatGets(bodies: readonly unknown[], status = 200) {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(bodies[Math.min(sent.length, bodies.length) - 1], status));
  const exchange = createExchange({
    ...{ baseUrl: 'https://exchange.example', credentials: { apiKey: 'key', apiSecret: 'secret' } },
    ...{ scheduler: createScheduler(), retry: false, lookupTimeoutMs: 0, fetch },
  });
  return { exchange, sent };
}
