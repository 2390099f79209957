// What a failure of the file system means for a recording.
import { RecordingError, type RecordingErrorReason } from '../errors/index.js';

/** The code of a system call that failed, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The error that a failure of the file system ends a function with. */
export function recordingError(
  where: string,
  otherwise: RecordingErrorReason,
  message: string,
  error: unknown,
): RecordingError {
  if (error instanceof RecordingError) return error;
  const code = errorCode(error);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  if (isFull)
    return new RecordingError(where, 'disk-full', 'the disk is full: free some space, and record again', error);
  return new RecordingError(where, otherwise, code === undefined ? message : `${message} (${code})`, error);
}
