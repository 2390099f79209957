// From an answer to the endpoint's output, or to a typed error.
import * as v from 'valibot';
import type { Endpoint } from '../endpoints/define-endpoint.js';
import { copyError, isPromise, readProperty, ResponseError } from '../errors/index.js';
import { classifyError, type SentRequest } from './classify.js';
import { describeIssue, unreadableIn, type Unreadable } from '../model/unreadable.js';
import { replaceUnprintable } from '../model/printable.js';
import { isRecord } from './error-response.js';
import { readJson } from './json.js';
import type { Redact } from './redact.js';
import type { WireResponse } from './send.js';

/**
 * Statuses of a whole answer of the exchange's own: 203 is of a proxy, 206 a part, and what 202 accepts may not be
 * done.
 */
const whole: readonly number[] = [200, 201];

/**
 * The output of an endpoint, checked; throws the error that the answer is otherwise, without the request's secrets.
 * `now` is Unix ms.
 */
export function readResponse<Output>(
  endpoint: Endpoint<never, Output>,
  answer: WireResponse,
  asked: SentRequest,
  now: number,
): Output {
  const { fields, redact } = asked;
  const { status, body } = answer;
  if (status < 200 || status > 299) throw classifyError(endpoint, answer, asked, now);

  const confidential = endpoint.confidential === true;
  const unreadable = (message: string) =>
    new ResponseError(
      redact(`HTTP ${status} ${message}`),
      status,
      confidential ? undefined : redact(body),
      endpoint.name,
    );

  if (!whole.includes(status)) throw unreadable('with an answer that need not be its own, or whole');
  const json = readJson(body, endpoint.maxResponseParts);
  if ('problem' in json) throw unreadable(`with a body that ${json.problem}`);
  const { value } = json;
  // Some refusals come with HTTP 200. `code` and `message` alone are no sign of one: successful bodies have fields of
  // these names.
  if (isRecord(value) && value['success'] === false) throw classifyError(endpoint, answer, asked, now);

  // One difference is enough, and all that there may be in a long list would be a list many times as long.
  const result = runEndpointFunction(endpoint, status, redact, () =>
    v.safeParse(endpoint.response, value, { abortEarly: true }),
  );
  // The names of fields are the exchange's: they may be anything, too.
  if (!result.success)
    throw unreadable(
      confidential ? 'with an unexpected body' : `with an unexpected body: ${describeIssue(result.issues[0])}`,
    );
  // A schema that is asynchronous, or has such a one inside, says neither that the body fits nor that it does not.
  if (readProperty(result, 'typed') !== true)
    throw unreadable('with a body that the schema of the endpoint decides nothing about');
  const isItsOwn = runEndpointFunction(endpoint, status, redact, () =>
    endpoint.matchesRequest?.(fields, result.output),
  );
  if (isItsOwn === false) throw unreadable('with the answer to another request');
  return result.output;
}

/**
 * What a function of the endpoint returns for an answer. It may be the user's own, and fail: even with an error of this
 * package, which would say nothing of this request. Throws {@link ResponseError} instead.
 */
export function runEndpointFunction<Result>(
  endpoint: Endpoint,
  status: number,
  redact: Redact,
  run: () => Result,
): Result {
  const failed = (error: unknown) => {
    // What it throws may quote what it was given.
    const cause = endpoint.confidential === true ? undefined : copyError(error, redact);
    return new ResponseError(
      `HTTP ${status} with an answer that the endpoint fails at`,
      status,
      undefined,
      endpoint.name,
      cause,
    );
  };
  let result: Result;
  try {
    result = run();
  } catch (error) {
    throw failed(error);
  }
  if (isPromise(result)) throw failed('a function of the endpoint returned a promise');
  return result;
}

const maxSampleLength = 200;

/**
 * What was left out of an output since it could not be read, as an event may tell it: keys come from the exchange, and
 * may be anything.
 */
export function unreadableRecordsOf(endpoint: Endpoint, output: unknown, redact: Redact): Unreadable | undefined {
  const unreadable = unreadableIn(output);
  if (unreadable === undefined) return undefined;
  const { count, sample } = unreadable;
  const shown =
    endpoint.confidential === true
      ? 'a record is not as expected'
      : replaceUnprintable(redact(sample, maxSampleLength), () => ' ');
  return { count, sample: shown };
}
