// Exchanges that are careless, or hostile: they say in their answers what they were asked, headers and all. And
// networks that do.
import type { Fetch } from 'exchange-rx';
import { forms } from './forms.js';

type Asked = Parameters<Fetch>[1];

/** One that does, and the kinds of errors that come of it. */
export interface Echo {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly fetch: Fetch;
}

/** All that was asked, as a text. */
const dumpOf = ({ headers, body = '' }: Asked) =>
  [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
    ...new URLSearchParams(body).values(),
  ].join('\n');

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('+', '&#43;').replaceAll('=', '&#x3D;');
/** As PHP writes it. */
const json = (value: unknown) => JSON.stringify(value).replaceAll('/', '\\/');

const answering =
  (
    status: number,
    body: (dump: string, asked: Asked) => string,
    headers: Readonly<Record<string, string>> = {},
  ): Fetch =>
  (_url, asked) =>
    Promise.resolve(new Response(body(dumpOf(asked), asked), { status, headers }));

/** The error of a library that tells all it knows. */
function talkative(asked: Asked): Error {
  const inner = Object.assign(new Error(`could not send ${dumpOf(asked)}`), {
    code: 'ECONNRESET',
    config: asked,
    data: Buffer.from(dumpOf(asked)),
  });
  return Object.assign(new TypeError('fetch failed', { cause: inner }), {
    request: asked,
    response: { text: dumpOf(asked) },
  });
}

/** Each value that was asked, in another form. */
const inForm = (write: (secret: string) => string, { headers, body = '' }: Asked) =>
  [...Object.values(headers), body, ...new URLSearchParams(body).values()].map(write).join(' and ');

export const echoes: readonly Echo[] = [
  ...forms
    .filter(({ name }) => /2 bytes after|colons|lines, as JSON|hexadecimal entity|twice|escaped in JSON/.test(name))
    .map(({ name, write }): Echo => ({
      name: `says it ${name}`,
      kinds: ['api'],
      fetch: answering(400, (_dump, asked) =>
        json({ code: 1, message: inForm(write, asked), errors: { [inForm(write, asked)]: [inForm(write, asked)] } }),
      ),
    })),
  {
    name: 'says it in the message of a refusal',
    kinds: ['api'],
    fetch: answering(400, (dump) => json({ code: 1, message: dump })),
  },
  {
    name: 'says it of a field',
    kinds: ['api'],
    fetch: answering(422, (dump) => json({ code: 30, message: 'x', errors: { amount: [dump] } })),
  },
  {
    name: 'names a field after it',
    kinds: ['api'],
    fetch: answering(422, (dump) => json({ code: 30, message: 'x', errors: { [dump]: ['x'] } })),
  },
  {
    name: 'hands the request back as it is',
    kinds: ['api'],
    fetch: answering(
      422,
      (_dump, { headers, body = '{}' }) =>
        `{"code":31,"request":${JSON.stringify(headers)},"body":${body.startsWith('{') ? body : '{}'}}`,
    ),
  },
  {
    name: 'says it in a text within a text',
    kinds: ['api'],
    fetch: answering(400, (dump) => json({ code: 1, message: json({ dump: json({ dump }) }) })),
  },
  {
    name: 'says it when it refuses the key',
    kinds: ['auth'],
    fetch: answering(401, (dump) => json({ code: 10, message: `wrong signature of ${dump}` })),
  },
  {
    name: 'says it of a nonce',
    kinds: ['auth'],
    fetch: answering(400, (dump) => json({ code: 0, message: `Your nonce is more than 5 seconds lesser: ${dump}` })),
  },
  { name: 'says it when the limit is reached', kinds: ['rate-limited'], fetch: answering(429, (dump) => dump) },
  {
    name: 'says it on a page of maintenance',
    kinds: ['unavailable'],
    fetch: answering(503, (dump) => `<html><pre>${html(dump)}</pre></html>`),
  },
  {
    name: 'says it as a URL',
    kinds: ['api'],
    fetch: answering(500, (dump) => `https://exchange.example/error?request=${encodeURIComponent(dump)}`),
  },
  {
    name: 'says it as a form',
    kinds: ['api'],
    fetch: answering(502, (dump) => new URLSearchParams({ dump }).toString()),
  },
  {
    name: 'redirects with it',
    kinds: ['api'],
    fetch: answering(302, (dump) => dump, { location: 'https://elsewhere.example' }),
  },
  {
    name: 'says it with a success that is none',
    kinds: ['api'],
    fetch: answering(200, (dump) => json({ success: false, message: dump, code: 1 })),
  },
  { name: 'says it instead of JSON', kinds: ['response'], fetch: answering(200, (dump) => dump) },
  {
    name: 'says it in JSON of another shape',
    kinds: ['response'],
    fetch: answering(200, (dump) => json({ [dump]: { [dump]: dump }, data: { [dump]: [dump] } })),
  },
  { name: 'says it in a list', kinds: ['response'], fetch: answering(200, (dump) => json([{ [dump]: dump }, dump])) },
  {
    name: 'fails with all that it was given',
    kinds: ['transport'],
    fetch: (_url, asked) => Promise.reject(talkative(asked)),
  },
  {
    name: 'fails with several errors',
    kinds: ['transport'],
    fetch: (_url, asked) => Promise.reject(new AggregateError([talkative(asked), talkative(asked)])),
  },
  {
    name: 'throws at once',
    kinds: ['transport'],
    fetch: (_url, asked) => {
      throw talkative(asked);
    },
  },
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a fetch of a user's own may reject with anything
  { name: 'fails with what is no error', kinds: ['transport'], fetch: (_url, asked) => Promise.reject(dumpOf(asked)) },
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as above
  { name: 'fails with an object', kinds: ['transport'], fetch: (_url, asked) => Promise.reject({ ...asked }) },
];
