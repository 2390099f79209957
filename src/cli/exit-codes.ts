// The exit codes of the command, for scripts.
import { AuthError, isExchangeError, RequestError } from '../errors/index.js';

export const exitCodes = {
  done: 0,
  /** Failed, and no order was placed: the exchange was unreachable or unavailable, its response malformed, or you said no. */
  failed: 1,
  usage: 2,
  credentials: 3,
  rejected: 4,
  unknown: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.usage,
  ) {
    super(message);
  }
}

export class Interrupted extends Error {}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof UsageError) return error.exitCode;
  if (!isExchangeError(error)) return exitCodes.failed;
  // A lookup that failed for its key or parameters reports that: the user can correct it. Once an order was sent, the
  // only thing that counts is that it may have been placed.
  const isLookup = error.endpoint === 'orders.find';
  if (isLookup && (error.cause instanceof AuthError || error.cause instanceof RequestError))
    return exitCodeOf(error.cause);
  if (error.outcome === 'unknown') return exitCodes.unknown;
  switch (error.kind) {
    case 'request':
      return error.issues.some(({ field }) => field.startsWith('credentials'))
        ? exitCodes.credentials
        : exitCodes.usage;
    case 'auth':
      return exitCodes.credentials;
    case 'api':
    case 'rate-limited':
    case 'live-refused':
      return exitCodes.rejected;
    default:
      return exitCodes.failed;
  }
}
