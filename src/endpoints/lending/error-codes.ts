// What the exchange's codes mean on the endpoints that invest.
import type { ErrorCode } from '../../endpoint/index.js';

export const investmentErrorCodes: readonly ErrorCode[] = [
  { status: 422, code: 2, reason: 'amount' },
  { status: 422, code: 3, reason: 'amount' },
  { status: 422, code: 4, reason: 'insufficient-balance' },
];
