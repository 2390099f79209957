// From an answer to the endpoint's output, or to a typed error.
import * as v from 'valibot';
import type { Endpoint } from '../endpoint.js';
import { ResponseError } from '../errors.js';
import { boundedRedact } from './bounded-redact.js';
import { classifyError, type Asked } from './classify.js';
import { describeIssue, unreadableIn, type Unreadable } from '../model/unreadable.js';
import { isRecord } from './error-answer.js';
import { readJson } from './json.js';
import type { Redact } from './redact.js';
import type { WireAnswer } from './send.js';

/** Statuses of a whole answer of the exchange's own: 203 is of a proxy, 206 a part, and what 202 accepts may not be done. */
const whole: readonly number[] = [200, 201];

/** The output of an endpoint, checked; throws the error that the answer is otherwise, without the request's secrets. `now` is Unix ms. */
export function readAnswer<Output>(endpoint: Endpoint<never, Output>, answer: WireAnswer, asked: Asked, now: number): Output {
  const { fields } = asked;
  const { status, body } = answer;
  const redact = boundedRedact(asked.redact);
  const classified = () => classifyError(endpoint, answer, { fields, redact }, now);
  if (status < 200 || status > 299) throw classified();

  const unreadable = (message: string) =>
    new ResponseError(redact(`HTTP ${status} ${message}`), status, endpoint.confidential === true ? undefined : redact(body), endpoint.name);

  if (!whole.includes(status)) throw unreadable('with an answer that need not be its own, or whole');
  const json = readJson(body);
  if ('problem' in json) throw unreadable(`with a body that ${json.problem}`);
  const { value } = json;
  // Some refusals come with HTTP 200. `code` and `message` alone are no sign of one: successful bodies have fields of these names.
  if (isRecord(value) && value['success'] === false) throw classified();

  // One difference is enough, and all that there may be in a long list would be a list many times as long.
  const result = v.safeParse(endpoint.response, value, { abortEarly: true });
  if (!result.success) throw unreadable(`with an unexpected body: ${describeIssue(result.issues[0])}`);
  if (endpoint.isAnswerTo?.(fields, result.output) === false) throw unreadable('with the answer to another request');
  return result.output;
}

const maxSampleLength = 200;
const controlCharacters = /\p{Cc}+/gu;

/** What was left out of an output since it could not be read, as an event may tell it: keys come from the exchange, and may be anything. */
export function leftOutOf(endpoint: Endpoint, output: unknown, redact: Redact): Unreadable | undefined {
  const unreadable = unreadableIn(output);
  if (unreadable === undefined) return undefined;
  const { count, sample } = unreadable;
  const shown = endpoint.confidential === true ? 'a record is not as expected' : boundedRedact(redact)(sample).slice(0, maxSampleLength).replace(controlCharacters, ' ');
  return { count, sample: shown };
}
