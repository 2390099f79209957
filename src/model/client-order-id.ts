// The identifier that a client gives its order.
import { randomUUID } from 'node:crypto';

/** Spec, Limits: letters, digits, dashes, dots, underscores. */
export const clientOrderIdPattern = /^[A-Za-z0-9._-]+$/;

/** The live exchange takes no longer one, and advises 32. */
export const clientOrderIdMaxLength = 64;

/** Makes an identifier that no other order has: 32 characters, as the exchange advises. */
export function createClientOrderId(): string {
  return randomUUID().replaceAll('-', '');
}
