// What the contract tests run on: the SDK against the sandbox, with a price that stands still.
import { createExchange, type Exchange, type ExchangeOptions, type Fetch, type Order } from 'exchange-rx';
import { createSandbox, type Sandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { recordingFetch } from '../support/recording-fetch.js';

/** The type of an order on collateral. */
export const collateralTypes = {
  limit: 'margin limit',
  market: 'margin market',
  'stop limit': 'margin stop limit',
  'stop market': 'trigger margin market',
} as const;

export interface Setup {
  readonly sandbox: Sandbox;
  readonly exchange: Exchange;
}

export function setup(options: SandboxOptions = {}): Setup {
  const sandbox = createSandbox({ volatility: 0, ...options });
  return { sandbox, exchange: clientOf(sandbox, undefined, { retry: false, lookupTimeoutMs: 0 }) };
}

/** A client of an account, by default of the first one, on the clock of the sandbox. */
export function clientOf(sandbox: Sandbox, account?: string, options: Partial<ExchangeOptions> = {}): Exchange {
  return createExchange({ ...sandbox.clientOptions(account), now: () => sandbox.clock.now(), ...options });
}

/** An order as the ledger has it now. */
export function inLedger({ sandbox }: Pick<Setup, 'sandbox'>, order: Pick<Order, 'order_id'> | undefined) {
  return sandbox.ledger.orders.find(({ order_id }) => order_id === order?.order_id);
}

/** What the specification writes instead of the live exchange. */
const specTexts: readonly (readonly [live: RegExp, spec: string])[] = [
  ...[/"orderId"/g, /"id"(?=:\d+,"clientOrderId")/g].map((live) => [live, '"order_id"'] as const),
  [/"clientOrderId"/g, '"client_order_id"'],
  ...['Money', 'Stock', 'Fee'].map(
    (name) => [new RegExp(`"deal${name}"`, 'g'), `"deal_${name.toLowerCase()}"`] as const,
  ),
  [/"ctime"/g, '"timestamp"'],
  [/"OPEN"/g, '"NEW"'],
  [/"CANCELED"/g, '"CANCELLED"'],
  [/"tradesEnabled"/g, '"max_leverage":100,"tradesEnabled"'],
];

/** A client of the sandbox whose responses have the names and statuses of the specification. */
export function specExchange({ sandbox }: Pick<Setup, 'sandbox'>, change = (text: string) => text): Exchange {
  const fetch: Fetch = async (...request) => {
    const response = await sandbox.fetch(...request);
    const text = specTexts.reduce((known, [live, spec]) => known.replace(live, spec), await response.text());
    return new Response(change(text), response);
  };
  return createExchange({ ...sandbox.clientOptions(), fetch, retry: false });
}

/** A raw response of the sandbox. */
export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface RawOptions {
  readonly account?: string | undefined;
  /** Instead of the right ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Far from any clock: the nonces of the SDK, which are times, are others. */
let lastNonce = 1_000_000_000_000;

/**
 * Sends a private request that the SDK would never send: signed by hand for an account, by default the first one, with
 * any fields. `undefined` leaves a field out.
 */
export async function sendRaw(
  { sandbox }: Pick<Setup, 'sandbox'>,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  { account, headers: headersInstead = {} }: RawOptions = {},
): Promise<RawAnswer> {
  const { baseUrl, fetch } = sandbox.clientOptions(account);
  lastNonce += 1;
  const body = JSON.stringify({ request: path, nonce: String(lastNonce), ...fields });
  const { headers, ...request } = signed({ sandbox }, body, account);
  return rawAnswer(await fetch(baseUrl + path, { ...request, headers: { ...headers, ...headersInstead } }));
}

/** A request with this body, signed without the SDK. */
export function signed({ sandbox }: Pick<Setup, 'sandbox'>, body: string, account?: string) {
  const { apiKey, apiSecret } = sandbox.clientOptions(account).credentials;
  const payload = Buffer.from(body).toString('base64');
  const signature = createHmac('sha512', apiSecret).update(payload).digest('hex');
  const headers = { 'x-txc-apikey': apiKey, 'x-txc-payload': payload, 'x-txc-signature': signature };
  return { method: 'POST', body, headers };
}

export async function rawAnswer(response: Response): Promise<RawAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** The body of a successful public response. */
export async function read<Body>({ fetch, baseUrl }: Sandbox, path: string): Promise<Body> {
  const { status, body } = await rawAnswer(await fetch(baseUrl + path));
  expect(status).toBe(200);
  return body as Body;
}

/** A client of a sandbox, with the requests that it sends. */
export function tapped(more: Partial<ExchangeOptions> = {}) {
  const { sandbox } = setup();
  const { fetch, sent } = recordingFetch(({ url, method, headers, body }) =>
    sandbox.fetch(url, { method, headers, ...(body === '' ? {} : { body }) }),
  );
  return { sandbox, exchange: clientOf(sandbox, undefined, { fetch, ...more }), sent };
}
