// What the command's exit code tells a script.
import { AuthError, isExchangeError, isUndecided, RequestError } from '../errors/index.js';

export const exitCodes = {
  /** It was done. */
  done: 0,
  /**
   * It failed, and no order was placed: the exchange could not be reached, was unavailable, or answered what it should
   * not.
   */
  failed: 1,
  /** Bad arguments or parameters. Nothing was sent. */
  usage: 2,
  /** Credentials are missing, unsafe, or not accepted. */
  credentials: 3,
  /** The exchange refused. */
  refused: 4,
  /** An order whose outcome is not known. */
  unknown: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command that cannot be run as it was given. */
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

/** The exit code for what a command failed with. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof UsageError) return error.exitCode;
  if (!isExchangeError(error)) return exitCodes.failed;
  // What is only looked for, and could not be: that has to be put right first. After an order was sent, that it may be
  // placed is all that counts.
  const isOnlyLookedFor = error.endpoint === 'orders.find';
  if (isOnlyLookedFor && (error.cause instanceof AuthError || error.cause instanceof RequestError))
    return exitCodeOf(error.cause);
  if (isUndecided(error)) return exitCodes.unknown;
  switch (error.kind) {
    case 'request':
      return error.issues.some(({ field }) => field.startsWith('credentials'))
        ? exitCodes.credentials
        : exitCodes.usage;
    case 'auth':
      return exitCodes.credentials;
    case 'api':
    case 'rate-limited':
      return exitCodes.refused;
    default:
      return exitCodes.failed;
  }
}
