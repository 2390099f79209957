// The way between a client and the foreign exchange, as a transport or as a server on a port: it loses, delays and
// repeats requests and responses.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { ForeignExchange, ForeignRequest, ForeignResponse } from './foreign-exchange.js';

/** How a response is lost, whether its request was executed or not. */
export const losses = ['reset', 'hang', 'truncated', 'empty', 'corrupt', 'unavailable', 'html'] as const;
export type Loss = (typeof losses)[number];

export type Fault =
  /** It never arrives. */
  | { readonly kind: 'lost before'; readonly how: Loss }
  /** No connection can be made: it never leaves. */
  | { readonly kind: 'refused' }
  /** It arrives and is accepted; the engine may execute it later. */
  | { readonly kind: 'lost after'; readonly how: Loss }
  /** It arrives later; its response is lost at once, or comes when it is there. */
  | { readonly kind: 'late'; readonly byMs: number; readonly how?: Loss }
  /** A proxy loses the response, sends the same bytes again, and relays the response to the copy. */
  | { readonly kind: 'replayed'; readonly afterMs: number; readonly copies?: number }
  /** It arrives, and something else responds. */
  | { readonly kind: 'replaced'; readonly response: ForeignResponse }
  /** Something before the exchange responds: the request does not arrive. */
  | { readonly kind: 'response'; readonly response: ForeignResponse };

/** A request as the SDK hands it to a transport. */
interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ForeignNetwork = ReturnType<typeof createForeignNetwork>;

interface Delivered {
  readonly how: 'whole' | 'truncated' | 'reset' | 'hang' | 'refused';
  readonly response: ForeignResponse;
}

const json = { 'content-type': 'application/json' };

/** A refusal with code 0 and no fields: its text says what for. */
export function refusal(status: number, message: string): ForeignResponse {
  return { status, headers: json, body: JSON.stringify({ code: 0, message, errors: [] }) };
}

/** A response of something before the exchange. */
export function gateway(status: number, headers: Readonly<Record<string, string>> = {}): ForeignResponse {
  return { status, headers: { 'content-type': 'text/html', ...headers }, body: '<html><body>nginx</body></html>' };
}

/** @param latencyMs how long a request, and a response, takes on its way */
export function createForeignNetwork(exchange: ForeignExchange, latencyMs = 5) {
  /** Every request, in the order in which they left, with `Date.now()` then; one that was refused a connection, too. */
  const departures: { readonly path: string; readonly at: number; readonly fields: ReturnType<typeof fieldsOf> }[] = [];
  const planned = new Map<string, (Fault | undefined)[]>();

  function lose(how: Loss, { path }: ForeignRequest): Delivered {
    switch (how) {
      case 'reset':
      case 'hang':
        return { how, response: gateway(502) };
      case 'truncated':
        return { how, response: { status: 200, headers: json, body: JSON.stringify({ orderId: 1, market: path }) } };
      case 'empty':
        return { how: 'whole', response: { status: 200, headers: json, body: '' } };
      case 'corrupt':
        return { how: 'whole', response: { status: 200, headers: json, body: '\u0001\u0001{"ord' } };
      case 'unavailable':
        return { how: 'whole', response: gateway(503) };
      case 'html':
        return { how: 'whole', response: gateway(200) };
    }
  }

  const arrive = async (request: ForeignRequest): Promise<Delivered> => ({
    how: 'whole',
    response: await exchange.receive(request),
  });

  async function arriveAfter(ms: number, request: ForeignRequest): Promise<Delivered> {
    await wait(ms);
    return arrive(request);
  }

  async function pass(request: ForeignRequest, fault: Fault | undefined): Promise<Delivered> {
    await wait(latencyMs);
    switch (fault?.kind) {
      case undefined:
        return arrive(request);
      case 'refused':
        return { how: 'refused', response: gateway(502) };
      case 'lost before':
        return lose(fault.how, request);
      case 'lost after':
        leaveBehind(arrive(request));
        return lose(fault.how, request);
      case 'late': {
        const arrival = arriveAfter(fault.byMs, request);
        if (fault.how === undefined) return arrival;
        leaveBehind(arrival);
        return lose(fault.how, request);
      }
      case 'replayed': {
        leaveBehind(arrive(request));
        for (let copy = 1; copy < (fault.copies ?? 1); copy += 1) await arriveAfter(fault.afterMs, request);
        return arriveAfter(fault.afterMs, request);
      }
      case 'replaced':
        leaveBehind(arrive(request));
        return { how: 'whole', response: fault.response };
      case 'response':
        return { how: 'whole', response: fault.response };
    }
  }

  async function deliver(request: ForeignRequest): Promise<Delivered> {
    departures.push({ path: request.path, at: Date.now(), fields: fieldsOf(request.body) });
    const faults = planned.get(request.path) ?? [];
    const delivered = await pass(request, faults.length > 0 ? faults.shift() : network.chance(request.path));
    await wait(latencyMs);
    if (delivered.how !== 'whole') return delivered;
    return { ...delivered, response: await network.rewrite(request.path, delivered.response) };
  }

  const network = {
    departures,
    departuresTo: (path: string) => departures.filter((departure) => departure.path === path),
    /** The next requests to a path suffer these faults, one each; `undefined` lets one pass. */
    plan: (path: string, ...faults: readonly (Fault | undefined)[]) => {
      planned.set(path, [...(planned.get(path) ?? []), ...faults]);
    },
    /** What happens to requests for which nothing is planned. */
    chance: (_path: string): Fault | undefined => undefined,
    /** Changes, or holds, whole responses on their way back. */
    rewrite: (_path: string, response: ForeignResponse): ForeignResponse | Promise<ForeignResponse> => response,
    /** Faults that were planned and have not happened. */
    pending: () => [...planned.values()].flat().filter((fault) => fault !== undefined).length,

    send: ({ method, url, headers, body = '' }: OutgoingRequest) => {
      const request = { method, path: new URL(url).pathname, headers: lowerCase(headers), body };
      let abort = (): void => undefined;
      const response = new Promise<ForeignResponse>((resolve, reject) => {
        abort = () => {
          reject(new Error('aborted'));
        };
        // It arrives even when its caller no longer waits.
        deliver(request).then((delivered) => {
          if (delivered.how === 'reset') reject(failed('read', 'ECONNRESET'));
          else if (delivered.how === 'refused') reject(failed('connect', 'ECONNREFUSED'));
          else if (delivered.how === 'truncated') reject(new Error('other side closed'));
          else if (delivered.how === 'whole') resolve(delivered.response);
        }, reject);
      });
      return {
        response,
        abort: () => {
          abort();
        },
      };
    },

    /** Serves the exchange on a port of loopback. */
    async listen() {
      const server = createServer((incoming, outgoing) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('end', () => {
          const headers = Object.fromEntries(
            Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
          );
          const path = new URL(incoming.url ?? '/', 'http://foreign').pathname;
          const request = { method: incoming.method ?? 'GET', path, headers, body: Buffer.concat(pieces).toString() };
          deliver(request).then(
            (delivered) => {
              write(outgoing, delivered);
            },
            () => outgoing.destroy(),
          );
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no port');
      return {
        baseUrl: `http://127.0.0.1:${address.port}`,
        close: async () => {
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        },
      };
    },
  };
  return network;
}

/** Its response is lost. */
function leaveBehind(arrival: Promise<unknown>): void {
  arrival.catch(() => undefined);
}

function write(outgoing: ServerResponse, delivered: Delivered): void {
  if (delivered.how === 'hang') return;
  if (delivered.how === 'reset' || delivered.how === 'refused') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = delivered.response;
  if (delivered.how === 'whole') {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  outgoing.writeHead(status, { ...headers, 'content-length': body.length + 100 });
  outgoing.write(body, () => outgoing.destroy());
}

function failed(syscall: string, code: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  if (body === '') return {};
  const fields: unknown = JSON.parse(body);
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
