// Careless or hostile exchanges whose responses echo the request with its headers. And networks whose errors do.
import type { Fetch } from 'exchange-rx';

type EchoedRequest = Parameters<Fetch>[1];

/** One such exchange, and the kinds of errors that its responses cause. */
export interface Echo {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly fetch: Fetch;
}

/** The whole request as text. */
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
  (
    status: number,
    body: (dump: string, request: EchoedRequest) => string,
    headers: Readonly<Record<string, string>> = {},
  ): Fetch =>
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

export const echoes: readonly Echo[] = [
  {
    name: 'echoes it in the message of a rejection',
    kinds: ['api'],
    fetch: respondingWith(400, (dump) => json({ code: 1, message: dump })),
  },
  {
    name: 'echoes it of a field',
    kinds: ['api'],
    fetch: respondingWith(422, (dump) => json({ code: 30, message: 'x', errors: { amount: [dump] } })),
  },
  {
    name: 'names a field after it',
    kinds: ['api'],
    fetch: respondingWith(422, (dump) => json({ code: 30, message: 'x', errors: { [dump]: ['x'] } })),
  },
  {
    name: 'hands the request back as it is',
    kinds: ['api'],
    fetch: respondingWith(
      422,
      (_dump, { headers, body = '{}' }) =>
        `{"code":31,"request":${JSON.stringify(headers)},"body":${body.startsWith('{') ? body : '{}'}}`,
    ),
  },
  {
    name: 'echoes it in a text within a text',
    kinds: ['api'],
    fetch: respondingWith(400, (dump) => json({ code: 1, message: json({ dump: json({ dump }) }) })),
  },
  {
    name: 'echoes it when it rejects the key',
    kinds: ['auth'],
    fetch: respondingWith(401, (dump) => json({ code: 10, message: `wrong signature of ${dump}` })),
  },
  {
    name: 'echoes it of a nonce',
    kinds: ['auth'],
    fetch: respondingWith(400, (dump) =>
      json({ code: 0, message: `Your nonce is more than 5 seconds lesser: ${dump}` }),
    ),
  },
  {
    name: 'echoes it when the rate limit is exceeded',
    kinds: ['rate-limited'],
    fetch: respondingWith(429, (dump) => dump),
  },
  {
    name: 'echoes it on a page of maintenance',
    kinds: ['unavailable'],
    fetch: respondingWith(503, (dump) => `<html><pre>${html(dump)}</pre></html>`),
  },
  {
    name: 'echoes it as a URL',
    kinds: ['api'],
    fetch: respondingWith(500, (dump) => `https://exchange.example/error?request=${encodeURIComponent(dump)}`),
  },
  {
    name: 'echoes it as a form',
    kinds: ['api'],
    fetch: respondingWith(502, (dump) => new URLSearchParams({ dump }).toString()),
  },
  {
    name: 'redirects with it',
    kinds: ['api'],
    fetch: respondingWith(302, (dump) => dump, { location: 'https://elsewhere.example' }),
  },
  {
    name: 'echoes it with an invalid success',
    kinds: ['api'],
    fetch: respondingWith(200, (dump) => json({ success: false, message: dump, code: 1 })),
  },
  { name: 'echoes it instead of JSON', kinds: ['response'], fetch: respondingWith(200, (dump) => dump) },
  {
    name: 'echoes it in JSON of another shape',
    kinds: ['response'],
    fetch: respondingWith(200, (dump) => json({ [dump]: { [dump]: dump }, data: { [dump]: [dump] } })),
  },
  {
    name: 'echoes it in a list',
    kinds: ['response'],
    fetch: respondingWith(200, (dump) => json([{ [dump]: dump }, dump])),
  },
  {
    name: 'fails with all that it was given',
    kinds: ['transport'],
    fetch: (_url, request) => Promise.reject(verboseError(request)),
  },
  {
    name: 'fails with several errors',
    kinds: ['transport'],
    fetch: (_url, request) => Promise.reject(new AggregateError([verboseError(request), verboseError(request)])),
  },
  {
    name: 'throws at once',
    kinds: ['transport'],
    fetch: (_url, request) => {
      throw verboseError(request);
    },
  },
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a user's fetch may do
  { name: 'fails with a string', kinds: ['transport'], fetch: (_url, request) => Promise.reject(dumpOf(request)) },
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as above
  { name: 'fails with an object', kinds: ['transport'], fetch: (_url, request) => Promise.reject({ ...request }) },
];
