// A request that the exchange does not execute, and the error response that says why.
import type { FieldErrors } from '../model/error-body.js';

/** A request that breaks a rule of the exchange. Fields have the names of the spec. */
export class Rejection extends Error {
  override readonly name = 'Rejection';

  constructor(
    /** 422; 400 for a spot order that the account cannot pay for. */
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors: FieldErrors = {},
  ) {
    super(message);
  }
}

/** Spec, Errors: a rejection of the validation has this message; the reason is with the field. */
export const validationMessage = 'Validation failed';

/** Live: a rejection of the matching engine has this message. */
export const innerValidationMessage = 'Inner validation failed';

/** A rejection for one field, as the spec's table of cases gives them. */
export function invalid(status: 400 | 422, code: number, field: string, ...messages: string[]): Rejection {
  return new Rejection(status, code, validationMessage, { [field]: messages });
}
