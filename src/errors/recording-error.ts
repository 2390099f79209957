// Why a recording cannot be written or read.
import { ExchangeError } from './exchange-error.js';

/**
 * Why a recording cannot be written or read:
 * - `locked`: another recorder writes to the folder.
 * - `disk-full`: the disk, or a quota, has no space left.
 * - `unwritable`: the folder or a file cannot be made or written.
 * - `unreadable`: the folder has no recording, or one that cannot be read.
 * - `other-exchange`: the folder has a recording of another exchange.
 */
export type RecordingErrorReason = 'locked' | 'disk-full' | 'unwritable' | 'unreadable' | 'other-exchange';

/** A recording cannot be written or read. What was written before stays readable. */
export class RecordingError extends ExchangeError {
  readonly kind = 'recording';

  constructor(
    /** Name of the function. */
    endpoint: string,
    /** Why it cannot. */
    readonly reason: RecordingErrorReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { endpoint, outcome: 'none', cause });
  }
}
