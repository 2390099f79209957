// Careless or hostile exchanges whose responses echo the request with its headers. And networks whose errors do.
import type { Fetch } from 'exchange-rx';

type EchoedRequest = Parameters<Fetch>[1];
type Body = (dump: string, request: EchoedRequest) => string;

/** One such exchange, and the kinds of errors that its responses cause. */
export interface Echo {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly fetch: Fetch;
}

const dumpOf = ({ headers, body = '' }: EchoedRequest) =>
  [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
    ...new URLSearchParams(body).values(),
  ].join('\n');

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('+', '&#43;').replaceAll('=', '&#x3D;');
/** The request as PHP prints it. */
const json = (value: unknown) => JSON.stringify(value).replaceAll('/', '\\/');

const respondingWith =
  (status: number, body: Body, headers: Readonly<Record<string, string>>): Fetch =>
  (_url, request) =>
    Promise.resolve(new Response(body(dumpOf(request), request), { status, headers }));

/** The error of a library that quotes the request everywhere. */
function verboseError(request: EchoedRequest): Error {
  const inner = Object.assign(new Error(`could not send ${dumpOf(request)}`), {
    code: 'ECONNRESET',
    config: request,
    data: Buffer.from(dumpOf(request)),
  });
  return Object.assign(new TypeError('fetch failed', { cause: inner }), {
    request: request,
    response: { text: dumpOf(request) },
  });
}

const rejected = (code: number, message: string) => json({ code, message });
const handedBack: Body = (_dump, { headers, body = '{}' }) =>
  `{"code":31,"request":${JSON.stringify(headers)},"body":${body.startsWith('{') ? body : '{}'}}`;
const oldNonce = 'Your nonce is more than 5 seconds lesser';
const nested = (dump: string) => ({ [dump]: { [dump]: dump }, data: { [dump]: [dump] } });

/** Exchanges that respond so: the kind of the error, the status, and the body. */
const responses: readonly (readonly [name: string, kind: string, status: number, body: Body, location?: string])[] = [
  ['echoes it in the message of a rejection', 'api', 400, (dump) => rejected(1, dump)],
  ['echoes it of a field', 'api', 422, (dump) => json({ code: 30, message: 'x', errors: { amount: [dump] } })],
  ['names a field after it', 'api', 422, (dump) => json({ code: 30, message: 'x', errors: { [dump]: ['x'] } })],
  ['hands the request back as it is', 'api', 422, handedBack],
  ['echoes it in a text within a text', 'api', 400, (dump) => rejected(1, json({ dump: json({ dump }) }))],
  ['echoes it when it rejects the key', 'auth', 401, (dump) => rejected(10, `wrong signature of ${dump}`)],
  ['echoes it of a nonce', 'auth', 400, (dump) => rejected(0, `${oldNonce}: ${dump}`)],
  ['echoes it when the rate limit is exceeded', 'rate-limited', 429, (dump) => dump],
  ['echoes it on a page of maintenance', 'unavailable', 503, (dump) => `<html><pre>${html(dump)}</pre></html>`],
  ['echoes it as a URL', 'api', 500, (dump) => `https://exchange.example/error?request=${encodeURIComponent(dump)}`],
  ['echoes it as a form', 'api', 502, (dump) => new URLSearchParams({ dump }).toString()],
  ['redirects with it', 'api', 302, (dump) => dump, 'https://elsewhere.example'],
  ['echoes it with an invalid success', 'api', 200, (dump) => json({ success: false, message: dump, code: 1 })],
  ['echoes it instead of JSON', 'response', 200, (dump) => dump],
  ['echoes it in JSON of another shape', 'response', 200, (dump) => json(nested(dump))],
  ['echoes it in a list', 'response', 200, (dump) => json([{ [dump]: dump }, dump])],
];

function throwAtOnce(request: EchoedRequest): never {
  throw verboseError(request);
}

/** Networks that fail so. */
const failures: readonly (readonly [name: string, fail: (request: EchoedRequest) => never | Promise<never>])[] = [
  ['fails with all that it was given', (request) => Promise.reject(verboseError(request))],
  ['fails with two errors', (request) => Promise.reject(new AggregateError([1, 2].map(() => verboseError(request))))],
  ['throws at once', throwAtOnce],
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a user's fetch may do
  ['fails with a string', (request) => Promise.reject(dumpOf(request))],
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as above
  ['fails with an object', (request) => Promise.reject({ ...request })],
];

export const echoes: readonly Echo[] = [
  ...responses.map(([name, kind, status, body, location]) => ({
    ...{ name, kinds: [kind] },
    fetch: respondingWith(status, body, location === undefined ? {} : { location }),
  })),
  ...failures.map(([name, fail]) => ({
    ...{ name, kinds: ['transport'] },
    fetch: (_url: string, request: EchoedRequest) => fail(request),
  })),
];
