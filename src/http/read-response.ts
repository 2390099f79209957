// Checks a response: returns the endpoint's output or throws a typed error.
import * as v from 'valibot';
import type { Endpoint } from '../endpoint/index.js';
import { copyError, ResponseError } from '../errors/index.js';
import { classifyError } from './classify.js';
import { describeIssue } from '../model/unreadable.js';
import { isRecord } from '../model/map.js';
import { describeBody } from './error-response.js';
import { readJson } from './json.js';
import { outcomeOf, type SentRequest } from './outcome.js';
import type { WireResponse } from './send.js';

/**
 * Whether a status is that of a complete response. To a request that changes something, 202 may not be executed yet, and
 * 203 is changed by a proxy. A read is complete with any status but 206, a part.
 */
function isComplete({ safety }: Endpoint, status: number): boolean {
  return safety === 'read' ? status !== 206 : status === 200 || status === 201;
}

/** The checked output of an endpoint. Throws a typed error without the request's secrets for any other response. */
export function readResponse<Output>(sent: SentRequest<Output>, response: WireResponse): Output {
  const { endpoint } = sent;
  const { status, body } = response;
  const json = readJson(body, endpoint.maxResponseParts);
  const value = 'value' in json ? json.value : undefined;
  if (status < 200 || status > 299) throw classifyError(sent, response, value);
  const invalidResponse = (message: string) => responseError(sent, response, message);
  if (!isComplete(endpoint, status)) throw invalidResponse('the status is not that of a complete response');
  if ('problem' in json) throw invalidResponse(`the body ${json.problem} (${describeBody(response, sent.redactor)})`);
  // Some error responses have HTTP 200. `code` and `message` do not mark them: successful bodies have such fields, too.
  if (isFailure(endpoint, value)) throw classifyError(sent, response, value);

  const { result, isOfAnother } = runDefinition(sent, status, () => {
    // The first issue is enough: the issues of a long list can take many times its memory.
    const read = v.safeParse(endpoint.response, outputOf(endpoint, value), { abortEarly: true });
    return { result: read, isOfAnother: read.success && endpoint.matchesRequest?.(sent.fields, read.output) === false };
  });
  // Field names of a confidential response may be secrets, too.
  if (!result.success)
    throw invalidResponse(
      endpoint.confidential ? 'unexpected body' : `unexpected body: ${describeIssue(result.issues[0])}`,
    );
  // An asynchronous schema returns neither success nor issues.
  const { typed }: { readonly typed: unknown } = result;
  if (typed !== true) throw invalidResponse('the response schema of the endpoint is asynchronous');
  if (isOfAnother) throw responseOfAnother(sent, response);
  return result.output;
}

/** The functions of a definition may be a user's own, and throw an error of this package that is about another request. */
function runDefinition<Result>(sent: SentRequest, status: number, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const { endpoint, redactor } = sent;
    // The error may quote the response.
    const cause = endpoint.confidential ? undefined : copyError(error, redactor);
    const message = `HTTP ${status}: a function of the endpoint definition failed on this response`;
    const outcome = outcomeOf(sent, true);
    throw new ResponseError(message, status, undefined, endpoint.name, cause).with({ outcome });
  }
}

/** The error of a valid response that can only be the response to another request. */
export function responseOfAnother(sent: SentRequest, response: WireResponse): ResponseError {
  return responseError(sent, response, 'the response belongs to another request');
}

function responseError(sent: SentRequest, { status, body }: WireResponse, message: string): ResponseError {
  const { endpoint, redactor } = sent;
  const text = redactor.quote(`HTTP ${status}: ${message}`);
  const shown = endpoint.confidential ? undefined : body;
  const outcome = outcomeOf(sent, true);
  return new ResponseError(text, status, shown, endpoint.name).with({ outcome });
}

function outputOf({ envelope }: Endpoint, value: unknown): unknown {
  return envelope === true && isEnvelope(value) ? value['result'] : value;
}

/** Whether a response of HTTP 200 is an error response. An envelope must not be one in any form, also inside. */
function isFailure({ envelope }: Endpoint, value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { success, message, code, errors, result } = value;
  if (success === false) return true;
  if (envelope !== true) return false;
  if (isRecord(result) && result['success'] === false) return true;
  return success === undefined ? !isNothing(message) || !isNothing(code) || !isNothing(errors) : success !== true;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** An object that is not wrapped may have a field `result` of its own, beside others. */
function isEnvelope(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || !('result' in value)) return false;
  return 'success' in value || 'message' in value || Object.keys(value).length === 1;
}
