// From an answer to the endpoint's output, or to a typed error.
import * as v from 'valibot';
import type { Endpoint } from '../endpoint.js';
import { ResponseError } from '../errors.js';
import { classifyError } from './classify.js';
import { isRecord, parseJson } from './error-answer.js';
import type { WireAnswer } from './send.js';

/** The output of an endpoint, checked; throws the error that the answer is otherwise. `now` is Unix ms. */
export function readAnswer<Output>(endpoint: Endpoint<never, Output>, answer: WireAnswer, now: number): Output {
  const { status, body } = answer;
  if (status < 200 || status > 299) throw classifyError(endpoint, answer, now);

  const unreadable = (message: string) =>
    new ResponseError(message, status, endpoint.confidential === true ? undefined : body, endpoint.name);

  const json = parseJson(body);
  if (json === undefined) throw unreadable(`HTTP ${status} with a body that is not JSON (${body.length} characters)`);
  // Some refusals come with HTTP 200. `code` and `message` alone are no sign of one: successful bodies have fields of these names.
  if (isRecord(json) && json['success'] === false) throw classifyError(endpoint, answer, now);

  const result = v.safeParse(endpoint.response, json);
  if (!result.success) throw unreadable(`HTTP ${status} with an unexpected body: ${describeIssues(result.issues)}`);
  return result.output;
}

/** Where the body differs, without the values that it holds. */
function describeIssues(issues: readonly v.BaseIssue<unknown>[]): string {
  const shown = 3;
  const described = issues.slice(0, shown).map((issue) => {
    const place = v.getDotPath(issue) ?? 'the body';
    return issue.expected === null ? `${place} is not as expected` : `${place} is not ${issue.expected}`;
  });
  return [...described, ...(issues.length > shown ? [`and ${issues.length - shown} more`] : [])].join(', ');
}
