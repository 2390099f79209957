// The exit codes of the command, for scripts.
import { AuthError, isExchangeError, RequestError } from '../errors/index.js';

export const exitCodes = {
  done: 0,
  /** Failed, and no order was placed: the exchange was unreachable or unavailable, its response malformed, or you said no. */
  failed: 1,
  /** Invalid arguments or parameters. Nothing was sent. */
  usage: 2,
  /** Credentials are missing, unsafe, or not accepted. */
  credentials: 3,
  /** The exchange rejected the request. */
  rejected: 4,
  /** The outcome of an order, or of another change, is unknown. */
  unknown: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command cannot run with these arguments, in this environment. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.usage,
  ) {
    super(message);
  }
}

/** Ctrl-C ended the command. */
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
