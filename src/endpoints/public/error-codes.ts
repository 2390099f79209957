// The rejections of the public endpoints. Their bodies have no code.
import type { ErrorCode } from '../../endpoint/index.js';

/** Of endpoints that read one market. */
export const marketErrorCodes: readonly ErrorCode[] = [
  { status: 422, field: 'market', reason: 'market' },
  { status: 422, reason: 'validation' },
];

/** Of margin and futures, which the exchange does not offer in every region. */
export const regionErrorCodes: readonly ErrorCode[] = [{ status: 451, reason: 'region' }];
