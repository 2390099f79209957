// A request that the exchange does not execute, and the error response that says why.
import { apiErrorCodes, type FieldErrors } from '../model/error-body.js';

/** Fields have the names of the spec. */
export class Rejection extends Error {
  override readonly name = 'Rejection';

  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors: FieldErrors = {},
  ) {
    super(message);
  }
}

export function invalidFields(status: number, code: number, errors: FieldErrors): Rejection {
  return new Rejection(status, code, 'Validation failed', errors);
}

export function invalid(status: number, code: number, field: string, ...messages: string[]): Rejection {
  return invalidFields(status, code, { [field]: messages });
}

export function malformed(field: string, ...messages: string[]): Rejection {
  return invalid(422, apiErrorCodes.validation, field, ...messages);
}

/** Live: a rejection of the matching engine, or of a movement of money. */
export function refused(code: number, field: string, message: string, status = 422): Rejection {
  return new Rejection(status, code, 'Inner validation failed', { [field]: [message] });
}
