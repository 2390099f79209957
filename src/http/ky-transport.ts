// The transport over any fetch: the user's own, the sandbox's, or the platform's. ky makes the request, runs the hooks of
// the user's own ky instance, and passes the response on. Everything that could send a request twice is off.
import ky, { type KyInstance, type Options } from 'ky';
import { isInstance, readProperty, RequestError, tryOr, type RequestIssue } from '../errors/index.js';
import { LostResponse, readBody, readHead } from './response-body.js';
import type {
  Fetch,
  FetchInit,
  Sending,
  SendOptions,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport.js';

/**
 * Creates a transport that sends by ky, with the hooks of your own ky instance. A client uses it by itself with the
 * option `fetch`, and on platforms other than Node. Throws {@link RequestError} for an instance whose options change
 * what is sent, or how often: `retry`, `redirect`, `prefixUrl`, `searchParams`, `method`, `json` and `body`.
 *
 * `beforeRequest` and `afterResponse` hooks run, once for each request. `beforeRetry` and `beforeError` hooks never
 * run, because nothing is retried, and every status is a response. The client's `timeoutMs` replaces the instance's
 * `timeout`. A hook sees API key, payload and signature.
 *
 * With a `beforeRequest` hook, a request counts as sent when the first of them starts, because a hook may send it by
 * itself. A hook that sends the request a second time through ky, that makes it follow redirects, or that throws, ends
 * it in a {@link TransportError} with outcome `unknown`. A hook must not send it by other means.
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
  const { fetch = globalThis.fetch, hooks } = optionsOf(instance);
  const { beforeRequest = [], afterResponse = [] } = hooks ?? {};
  return createKyTransport({
    instance,
    hasBeforeRequest: beforeRequest.length > 0,
    hasAfterResponse: afterResponse.length > 0,
    fetch: (request, options) => fetch(request, options),
  });
}

/** The transport over the option `fetch`, which gets the request in the form of {@link Fetch}. */
export function fetchTransport(fetch: Fetch): Transport {
  return createKyTransport({
    instance: ky,
    hasBeforeRequest: false,
    hasAfterResponse: false,
    fetch: (_request, _options, { url, init }) => fetch(url, init),
  });
}

/** The options of an instance; throws {@link RequestError}. */
function optionsOf(instance: KyInstance): Options {
  let options: Options | undefined;
  tryOr(() => {
    instance.extend((given) => {
      options = given;
      return {};
    });
  }, undefined);
  if (options === undefined)
    throw refused({ field: 'ky', message: 'must be an instance of ky 1, such as ky.extend({})' });
  const { retry, redirect } = options;
  const limit: unknown = typeof retry === 'object' ? readProperty(retry, 'limit') : retry;
  if (retry !== undefined && limit !== 0)
    throw refused({ field: 'ky.retry', message: 'must be 0: the client retries, when it is safe' });
  if (redirect !== undefined && redirect !== 'manual')
    throw refused({ field: 'ky.redirect', message: 'must be "manual": a redirect could send a request twice' });
  const given = options;
  const changing = (['prefixUrl', 'searchParams', 'method', 'json', 'body'] as const).find((field) => {
    const value: unknown = given[field];
    return value !== undefined && value !== '';
  });
  if (changing !== undefined)
    throw refused({ field: `ky.${changing}`, message: 'is not possible: it changes the request of the client' });
  return options;
}

function refused(issue: RequestIssue): RequestError {
  return new RequestError('kyTransport', [issue]);
}

interface KyTransportParts {
  readonly instance: KyInstance;
  readonly hasBeforeRequest: boolean;
  readonly hasAfterResponse: boolean;
  readonly fetch: (
    request: Request,
    options: RequestInit | undefined,
    original: { readonly url: string; readonly init: FetchInit },
  ) => Promise<Response>;
}

function createKyTransport(parts: KyTransportParts): Transport {
  return {
    reportsSent: true,
    send: (request, options): Sending => {
      const aborter = new AbortController();
      return {
        response: sendByKy(parts, request, options, aborter),
        abort: () => {
          aborter.abort();
        },
      };
    },
  };
}

async function sendByKy(
  { instance, hasBeforeRequest, hasAfterResponse, fetch }: KyTransportParts,
  { url, ...request }: TransportRequest,
  { onSent, maxResponseBytes, hold }: SendOptions,
  aborter: AbortController,
): Promise<TransportResponse> {
  const { signal } = aborter;
  const init: FetchInit = { ...request, redirect: 'manual', signal };
  const progress = { isSent: false, calls: 0, hasResponse: false, isReceived: false };
  const markSent = () => {
    signal.throwIfAborted();
    if (!progress.isSent) onSent();
    progress.isSent = true;
  };
  const sendOnce = async (input: Request | string | URL, options?: RequestInit) => {
    progress.calls += 1;
    if (progress.calls > 1) throw new LostResponse('a hook of the ky instance tried to send the request a second time');
    const sent = input instanceof Request ? input : new Request(input, options);
    if (sent.redirect !== 'manual')
      throw new LostResponse('a hook of the ky instance lets the request follow redirects');
    markSent();
    const response = await fetch(sent, options, { url, init });
    progress.hasResponse = true;
    return response;
  };
  try {
    if (hasBeforeRequest) {
      // A request that is unsubscribed in its first tick is not sent.
      await Promise.resolve();
      markSent();
    }
    const response = await instance(url, {
      ...init,
      fetch: sendOnce,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
    progress.isReceived = true;
    const head = readHead(response);
    return { ...head, body: await readBody(response, signal, { maxBytes: maxResponseBytes, hold }) };
  } catch (error) {
    // A hook may have cloned the response, whose connection would stay open for the clone.
    aborter.abort();
    if (isInstance(error, LostResponse) || !progress.isSent) throw error;
    // Once `fetch` has resolved, the request was sent: every later failure is one of the response, whatever it says.
    if (progress.isReceived || (progress.hasResponse && !hasAfterResponse))
      throw new LostResponse('', { cause: error });
    if (progress.hasResponse)
      throw new LostResponse('an afterResponse hook of the ky instance failed', { cause: error });
    // A hook may have sent the request by itself.
    if (progress.calls === 0)
      throw new LostResponse('a beforeRequest hook of the ky instance failed', { cause: error });
    throw error;
  }
}
