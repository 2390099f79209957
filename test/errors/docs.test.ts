// Every kind of error has a section in docs/errors.md, which its errors link to.
import {
  ApiError,
  AuthError,
  ExchangeDownError,
  LiveRefusedError,
  LookupError,
  NotPlacedError,
  QueueFullError,
  QueueTimeoutError,
  RateLimitedError,
  RecordingError,
  RequestError,
  ResponseError,
  SlowConsumerError,
  TimeoutError,
  TransportError,
  UnavailableError,
  type AnyExchangeError,
} from 'exchange-rx';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { textOf } from '../support/documents.js';
import type { ErrorResponse } from '../../src/errors/index.js';

const about = { endpoint: 'public.ping', outcome: 'unknown' } as const;
const response: ErrorResponse = { status: 400, code: 1, exchangeMessage: 'x', errors: {}, body: 'raw' };

/** One error of each kind. The compiler requires a new kind to be added. */
const errors: { readonly [Kind in AnyExchangeError['kind']]: AnyExchangeError & { readonly kind: Kind } } = {
  api: new ApiError(response, 'other', about),
  auth: new AuthError(response, 'payload', 'public.ping'),
  down: new ExchangeDownError('pauseWhileDown', undefined),
  'live-refused': new LiveRefusedError('live.trades', 9, 'market X_Y does not exist', 'X_Y'),
  lookup: new LookupError('not decided', about),
  'not-placed': new NotPlacedError('public.ping', new TransportError('lost', about)),
  'queue-full': new QueueFullError('public.ping', 'public', 1),
  'queue-timeout': new QueueTimeoutError('public.ping', 'public', 100),
  'rate-limited': new RateLimitedError(response, 1000, 'public.ping'),
  recording: new RecordingError('record', 'locked', 'another recorder writes to the folder'),
  request: new RequestError('public.ping', []),
  response: new ResponseError('invalid', 200, 'raw', 'public.ping'),
  'slow-consumer': new SlowConsumerError('toAsyncIterable', 10_000),
  timeout: new TimeoutError('public.ping', 100),
  transport: new TransportError('lost', about),
  unavailable: new UnavailableError(response, undefined, 'public.ping'),
};

describe('the documentation link of an error', () => {
  it.each(Object.entries(errors))('leads to the section of its kind: %s', (kind, error) => {
    expect(error.docs).toBe(`exchange-rx/docs/errors.md#${kind}`);
    expect(textOf('docs/errors.md')).toContain(`\n### \`${kind}\`\n`);
  });

  it('is in the logged object, and not in the message', () => {
    const { timeout } = errors;
    expect(JSON.parse(JSON.stringify(timeout))).toEqual({
      name: 'TimeoutError',
      message: 'public.ping: no complete response within 100 ms',
      docs: 'exchange-rx/docs/errors.md#timeout',
      kind: 'timeout',
      endpoint: 'public.ping',
      outcome: 'unknown',
      timeoutMs: 100,
      phase: 'attempt',
    });
    expect(inspect(timeout)).not.toContain('errors.md');
  });
});

it('docs/errors.md has no section of an unknown kind', () => {
  const page = textOf('docs/errors.md');
  const kinds = [...page.matchAll(/^### `(?<kind>[\w-]+)`$/gm)].map(({ groups }) => groups?.['kind']);
  expect(kinds.toSorted()).toEqual(Object.keys(errors).toSorted());
  for (const kind of kinds) expect(page).toContain(`| [\`${kind}\`](#${kind}) |`);
});
