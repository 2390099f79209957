// A request that the sandbox does not carry out, and the answer that says why.
import type { FieldErrors } from '../model/error-body.js';

/**
 * Thrown wherever a rule of the exchange is broken; the HTTP side writes it as the spec's error body. Fields bear the
 * spec's names.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    /**
     * HTTP status: 422 when the request itself is invalid, and always on collateral; 400 when a spot order is refused
     * for what the account has.
     */
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors: FieldErrors = {},
  ) {
    super(message);
  }
}

/** Spec, Errors: refusals of validation have this message; the text is with the field. */
export const validationMessage = 'Validation failed';

/** Live: refusals of the matching engine have this message. */
export const innerValidationMessage = 'Inner validation failed';

/** A refusal for one field, as the spec's table of cases gives them. */
export function invalid(status: 400 | 422, code: number, field: string, ...messages: string[]): Refusal {
  return new Refusal(status, code, validationMessage, { [field]: messages });
}
