// The transport over any fetch: the user's own, the sandbox's, or the platform's. ky makes the request, runs the hooks of
// the user's own ky instance, and passes the response on. Everything that could send a request twice is off.
import ky, { type KyInstance, type Options } from 'ky';
import { ReceivedBody, type LargeBuffers } from './received-body.js';
import {
  LostResponse,
  type Fetch,
  type FetchInit,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * Creates a transport that sends by ky, with the hooks of your own ky instance. A client uses it by itself with the
 * option `fetch`, and on platforms other than Node.
 *
 * `beforeRequest` and `afterResponse` hooks run, once for each request. `beforeRetry` and `beforeError` hooks never
 * run, because nothing is retried, and every status is a response. A hook sees API key, payload and signature.
 * The client decides what is sent, how often, and how long it takes: the instance's `retry`, `timeout`, `redirect`,
 * `prefixUrl`, `searchParams`, `method`, `json` and `body` do not count.
 *
 * A request counts as sent before the first hook runs, because a hook may send it by itself. A hook that sends the
 * request a second time through ky, that makes it follow redirects, or that throws, ends it in a {@link TransportError}
 * with outcome `unknown`. A hook must not send it by other means.
 *
 * @param instance default: ky on the platform's `fetch`, without hooks
 * @example
 * ```ts
 * import { createExchange, kyTransport } from 'exchange-rx';
 * import ky from 'ky';
 *
 * const traced = ky.extend({
 *   hooks: {
 *     beforeRequest: [(request) => request.headers.set('x-trace', crypto.randomUUID())],
 *     afterResponse: [(request, _options, response) => console.log(request.url, response.status)],
 *   },
 * });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', transport: kyTransport(traced) });
 * ```
 */
export function kyTransport(instance: KyInstance = ky): Transport {
  let own: Options = {};
  instance.extend((options) => {
    own = options;
    return {};
  });
  const { fetch = globalThis.fetch } = own;
  return transportOver(instance, (request, options) => fetch(request, options));
}

/** The transport over the option `fetch`, which gets the request in the form of {@link Fetch}. */
export function fetchTransport(fetch: Fetch): Transport {
  return transportOver(ky, (_request, _options, url, init) => fetch(url, init));
}

type KyFetch = (request: Request, options: RequestInit | undefined, url: string, init: FetchInit) => Promise<Response>;

function transportOver(instance: KyInstance, fetch: KyFetch): Transport {
  const large = { bytes: 0 };
  return {
    reportsSent: true,
    send: (request, options): Sending => {
      const aborter = new AbortController();
      return {
        response: sendByKy(instance, fetch, request, options, aborter, large),
        abort: () => {
          aborter.abort();
        },
      };
    },
  };
}

async function sendByKy(
  instance: KyInstance,
  fetch: KyFetch,
  { url, ...request }: TransportRequest,
  { onSent, maxResponseBytes }: SendOptions,
  aborter: AbortController,
  large: LargeBuffers,
): Promise<TransportResponse> {
  const { signal } = aborter;
  const init: FetchInit = { ...request, redirect: 'manual', signal };
  const received = new ReceivedBody(maxResponseBytes, large);
  /** The code of the error of `fetch` says whether a connection was made, unlike that of a hook's error. */
  const progress = { isCalled: false, isFetchFailure: false };
  let failed = 'the request could not be made, or a hook of the ky instance failed';
  const sendOnce = async (input: Request | string | URL, options?: RequestInit) => {
    if (progress.isCalled) throw new LostResponse('a hook of the ky instance tried to send the request a second time');
    progress.isCalled = true;
    const sent = input instanceof Request ? input : new Request(input, options);
    if (sent.redirect !== 'manual')
      throw new LostResponse('a hook of the ky instance lets the request follow redirects');
    signal.throwIfAborted();
    try {
      return await fetch(sent, options, url, init);
    } catch (error) {
      progress.isFetchFailure = true;
      throw error;
    }
  };
  // A request that is unsubscribed in its first tick is not sent: `onSent` throws.
  await Promise.resolve();
  onSent();
  try {
    const response = await instance(url, {
      body: null,
      ...init,
      ...{ prefixUrl: '', searchParams: undefined, json: undefined },
      fetch: sendOnce,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
    failed = '';
    const read = (name: string) => response.headers.get(name) ?? undefined;
    const headers = { 'content-type': read('content-type'), 'retry-after': read('retry-after') };
    const body = await readBody(response, signal, received);
    return { status: response.status, headers, body };
  } catch (error) {
    // A hook may have cloned the response, whose connection would stay open for the clone.
    aborter.abort();
    throw progress.isFetchFailure || error instanceof LostResponse ? error : new LostResponse(failed, { cause: error });
  } finally {
    received.release();
  }
}

/** Until the body ends, is too large, or the signal aborts. Another library's Response is read whole, as text. */
async function readBody(
  response: Response,
  signal: AbortSignal,
  received: ReceivedBody,
): Promise<TransportResponse['body']> {
  const stream: unknown = response.body;
  if (!(stream instanceof ReadableStream)) return response.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = stream.getReader();
  const cancel = () => {
    // Not awaited, as `pipeTo` would: a source may never end it.
    reader.cancel(signal.reason).catch(() => undefined);
  };
  if (signal.aborted) cancel();
  // The caller aborts it after an error, too.
  else signal.addEventListener('abort', cancel);
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) received.add(chunk.value);
  signal.throwIfAborted();
  return received.bytes;
}
