// docs/errors.md says what to do about every reason of an error.
import type { ApiErrorReason, AuthErrorReason } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { textOf } from '../support/documents.js';

describe('docs/errors.md', () => {
  const apiReasons: Readonly<Record<ApiErrorReason, true>> = {
    validation: true,
    market: true,
    amount: true,
    price: true,
    step: true,
    'client-order-id': true,
    'conflicting-flags': true,
    'position-side': true,
    'reduce-only': true,
    'order-not-found': true,
    'insufficient-balance': true,
    'would-take': true,
    'position-limit': true,
    'positions-open': true,
    'position-not-found': true,
    'opposite-position': true,
    region: true,
    other: true,
  };
  const authReasons: Readonly<Record<AuthErrorReason, true>> = {
    payload: true,
    signature: true,
    'nonce-expired': true,
    'nonce-used': true,
    'key-disabled': true,
    'key-not-authorized': true,
    'no-permission': true,
    'access-token': true,
    'two-factor': true,
  };

  it.each([...Object.keys(apiReasons), ...Object.keys(authReasons)])(
    'says what to do about the reason `%s`',
    (reason) => {
      expect(textOf('docs/errors.md')).toMatch(new RegExp(`^\\| \`${reason}\` \\|`, 'm'));
    },
  );
});
