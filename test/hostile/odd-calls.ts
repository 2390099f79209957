// Calls of endpoints with an odd object somewhere, and how they end. Used by the tests and by odd-program.ts.
import {
  createExchange,
  createClient,
  defineEndpoint,
  isExchangeError,
  rateLimits,
  type Fetch,
  type ClientOptions,
} from 'exchange-rx';
import type { Observable } from 'rxjs';
import { inspect } from 'node:util';
import * as v from 'valibot';
import type { ClientEndpoints } from '../../src/client/index.js';

export const credentials = { apiKey: 'key-of-the-account-0123456789', apiSecret: 'secret-of-the-account-0123456789' };
/** A parameter of the confidential calls. */
export const token = 'token-of-the-user-0123456789';

/** How a call ended. */
export interface Ending {
  readonly values: readonly unknown[];
  readonly errors: readonly unknown[];
  readonly isComplete: boolean;
  /** Requests that were sent. */
  readonly sent: number;
}

/** Parts of a user's endpoint that may be odd. */
export type Own = Readonly<
  Partial<Record<'request' | 'response' | 'matchesRequest' | 'exchangeTime' | 'key' | 'toCheck' | 'lookup', unknown>>
>;

const any = v.looseObject({});
const order = { market: 'BTC_USDT', side: 'buy', amount: '1', client_order_id: 'mine' };

const calls = {
  read: { method: 'GET', authentication: 'none', safety: 'read', params: { market: 'BTC_USDT' } },
  setting: { method: 'POST', authentication: 'signed', safety: 'idempotent', params: { market: 'BTC_USDT' } },
  order: { method: 'POST', authentication: 'signed', safety: 'order', params: order },
  confidential: { method: 'POST', authentication: 'signed', safety: 'once', params: { token }, confidential: true },
  form: {
    method: 'POST',
    authentication: 'form',
    safety: 'once',
    params: { token, count: 12_345_678_901_234n },
    confidential: true,
  },
} as const;

/** Whether the parameters of the call are secrets. */
export const isConfidential = (name: CallName) => 'confidential' in calls[name];

export type CallName = keyof typeof calls;
export const callNames = Object.keys(calls) as readonly CallName[];

export interface OddCall {
  readonly fetch: Fetch;
  readonly own?: Own;
  /** Replaces the endpoints of an exchange. */
  readonly endpoints?: ClientEndpoints;
  readonly options?: Partial<ClientOptions>;
  /** Replaces the parameters of the call. */
  readonly params?: unknown;
  readonly callOptions?: unknown;
}

/** The whole request, as a careless library would quote it. */
export function dumpOf(init: Parameters<Fetch>[1]): string {
  return [...Object.entries(init.headers).map(([name, value]) => `${name}: ${value}`), init.body ?? ''].join('\n');
}

/** Makes the call; resolves to how it ended. */
export function endingOf(
  name: CallName,
  { fetch, own, endpoints, options, params, callOptions }: OddCall,
): Promise<Ending> {
  const { params: usual, ...kind } = calls[name];
  let sent = 0;
  const counting: Fetch = (url, init) => {
    if (url.includes('/own')) sent += 1;
    return fetch(url, init);
  };
  const endpoint = defineEndpoint({
    name,
    path: '/own',
    rateLimit: rateLimits.public,
    request: any,
    response: any,
    ...kind,
    ...(own as object),
  });
  const all = {
    baseUrl: 'https://exchange.example',
    credentials,
    fetch: counting,
    timeoutMs: 200,
    retry: false,
    lookupTimeoutMs: 0,
    ...options,
  } as const;
  const client = endpoints === undefined ? createExchange(all) : createClient(all, endpoints);
  return ended(
    () => client.call(endpoint, (params ?? usual) as never, callOptions as never),
    () => sent,
  );
}

/** How an observable ends, or the error that creating it throws. */
export async function ended(make: () => Observable<unknown>, sent: () => number = () => 0): Promise<Ending> {
  const values: unknown[] = [];
  const errors: unknown[] = [];
  let isComplete = false;
  await new Promise<void>((resolve) => {
    const fail = (error: unknown) => {
      errors.push(error);
      resolve();
    };
    try {
      make().subscribe({
        next: (value) => values.push(value),
        error: fail,
        complete: () => {
          isComplete = true;
          resolve();
        },
      });
    } catch (error) {
      fail(error);
    }
  });
  // Unhandled rejections and second endings have happened by then.
  await new Promise((resolve) => setImmediate(resolve));
  return { values, errors, isComplete, sent: sent() };
}

/** The problem of an ending; `undefined` for one typed error without secrets, or one value. */
export function wrongWith({ values, errors, isComplete }: Ending, secrets: readonly string[]): string | undefined {
  if (errors.length + (isComplete ? 1 : 0) !== 1)
    return `ended ${errors.length} times with an error${isComplete ? ', and completed' : ''}`;
  if (isComplete) return values.length === 1 ? undefined : `emitted ${values.length} values`;
  const [error] = errors;
  if (!isExchangeError(error)) return 'ended with a bare error';
  if (![error.endpoint, error.kind, error.outcome].every((part) => typeof part === 'string'))
    return 'ended with an error that lacks parts';
  if (values.length > 0) return 'emitted a value before its error';
  try {
    const printed = [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      String(error),
      error.stack ?? '',
    ].join('\n');
    const leaked = secrets.find((secret) => printed.includes(secret));
    return leaked === undefined ? undefined : `says ${leaked}: ${printed.slice(0, 300)}`;
  } catch {
    return 'cannot be printed';
  }
}
