// Reads the lines of a recording, a member at a time: memory holds one, however large the recording is.
import { join } from 'node:path';
import { Observable } from 'rxjs';
import { optionsOf, parse, rule } from '../errors/index.js';
import { linesOfFile } from './file-lines.js';
import type { RecordedGap, RecordedLine } from './line.js';
import type { Recording } from './open-recording.js';

/** Which lines are read. */
export interface RecordedRange {
  /** Not before this time, Unix ms. Default: from the first line. */
  readonly from?: number;
  /** Not after this time, Unix ms. Default: to the last line. */
  readonly to?: number;
}

const aTime = rule<number>((value) => typeof value === 'number' && !Number.isNaN(value), 'must be a time, Unix ms');
const rangeOptions = optionsOf<RecordedRange>({ from: aTime, to: aTime });

/** The lines of a recording, as an observable and for `for await`. */
export interface RecordedLines extends Observable<RecordedLine>, AsyncIterable<RecordedLine> {}

/**
 * The lines of a recording, in the order in which they were recorded. Cold: each subscription reads the files. Reads a
 * part of about a second when the lines of the part before were taken, so a slow subscriber slows the reader down. A
 * consumer that awaits something for each line uses `for await`, which reads as fast as the loop takes.
 *
 * Where lines cannot be read, there is a `gap` line with the reason `damage`. Fails with {@link RecordingError}
 * `unreadable` when a file is gone.
 *
 * @param recording the recording, see {@link openRecording}
 * @param range which lines. Default: all
 * @example
 * ```ts
 * import { readRecording, type Recording } from 'exchange-rx/recording';
 *
 * async function printFrames(recording: Recording) {
 *   for await (const line of readRecording(recording)) if (line.k === 'frame') console.log(line.t, line.d);
 * }
 * ```
 */
export function readRecording(recording: Recording, range: RecordedRange = {}): RecordedLines {
  const parsed = parse('readRecording', rangeOptions, range);
  const lines$ = new Observable<RecordedLine>((subscriber) => {
    const read = async () => {
      for await (const batch of recordedBatches(recording, parsed))
        for (const line of batch) {
          if (subscriber.closed) return;
          subscriber.next(line);
        }
      subscriber.complete();
    };
    read().catch((error: unknown) => {
      subscriber.error(error);
    });
  });
  return Object.assign(lines$, {
    [Symbol.asyncIterator]: async function* each() {
      for await (const batch of recordedBatches(recording, parsed)) yield* batch;
    },
  });
}

/**
 * The lines of {@link readRecording} in lists of about a second. The next list is read when the loop takes it. Faster
 * than line by line, for programs that convert recordings.
 *
 * @param recording the recording, see {@link openRecording}
 * @param range which lines. Default: all
 * @example
 * ```ts
 * import { recordedBatches, type Recording } from 'exchange-rx/recording';
 *
 * async function countFrames(recording: Recording) {
 *   let frames = 0;
 *   for await (const lines of recordedBatches(recording)) frames += lines.filter(({ k }) => k === 'frame').length;
 *   return frames;
 * }
 * ```
 */
export async function* recordedBatches(
  { folder, files }: Recording,
  range: RecordedRange = {},
): AsyncGenerator<readonly RecordedLine[]> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = parse(
    'recordedBatches',
    rangeOptions,
    range,
  );
  /** Time of the last line. No later line is before it, whatever a damaged file says. */
  let last = 0;
  const isInRange = ({ t }: RecordedLine) => t >= from && t <= to;
  for (const file of files) {
    if (file.to < from || file.from > to) continue;
    last = Math.max(last, file.from);
    if (file.isAfterMissing) yield [damageAt(last)].filter(isInRange);
    for await (const lines of linesOfFile('readRecording', join(folder, file.name), file.writtenLines)) {
      const batch = lines.map((line) => {
        if (line === undefined) return damageAt(last);
        if (line.t < last) return { ...line, t: last };
        last = line.t;
        return line;
      });
      yield batch.filter(isInRange);
    }
  }
}

function damageAt(t: number): RecordedGap {
  return { t, k: 'gap', reason: 'damage' };
}
