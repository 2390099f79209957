// One run of a recorder: the lines that it writes, and its progress.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ignoreElements, map, merge, Subject, tap, timer, type Observable, type Subscription } from 'rxjs';
import type { RecordingError } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { lockedFolder, type RecordingFolder } from './folder.js';
import type { RecordedLine } from './line.js';
import {
  defaultChannels,
  monotonicMs,
  tapLines,
  tenths,
  type LiveLinesOptions,
  type TappedLines,
} from './live-lines.js';
import { format } from './manifest.js';
import { RecordingWriter } from './writer.js';

/** The progress of a recording, since it started. */
export interface RecordingProgress {
  /** Number of frames that were received. */
  readonly frames: number;
  /** Number of lines. Those of the last second may not be written yet. */
  readonly lines: number;
  /** Number of gaps. */
  readonly gaps: number;
  /** Bytes on the disk. */
  readonly bytes: number;
}

/** What a session records. */
export interface SessionOptions extends LiveLinesOptions {
  readonly to: string;
  readonly fsync?: boolean;
}

const progressMs = 1000;

/** Locks the folder. Rejects with {@link RecordingError}. */
export async function openSession(exchange: Exchange, options: SessionOptions): Promise<Session> {
  let shiftMs = 0;
  const now = () => tenths(monotonicMs() + shiftMs);
  const lines = tapLines(exchange, options, now);
  const folder = await lockedFolder(options.to, lines.host);
  // No line is before one of an earlier recorder.
  shiftMs = Math.max(0, (folder.lastT ?? 0) - monotonicMs());
  return new Session(lines, folder, options, now);
}

/** A recording that goes on. */
export class Session {
  /** Emits the progress each second, and the error that ends the recording. Subscribe once. */
  readonly progress$: Observable<RecordingProgress>;
  readonly #writer: RecordingWriter;
  readonly #folder: RecordingFolder;
  readonly #now: () => number;
  /** Until after the end of the last connection. */
  readonly #sockets: Subscription;
  #frames = 0;
  #gaps = 0;
  #closed: Promise<void> | undefined;
  #failure: RecordingError | undefined;

  constructor(lines: TappedLines, folder: RecordingFolder, options: SessionOptions, now: () => number) {
    const { markets, channels = defaultChannels, to, fsync = false } = options;
    const failure$ = new Subject<never>();
    this.#folder = folder;
    this.#now = now;
    this.#writer = new RecordingWriter({
      ...{ folder: to, fsync, files: folder.files, firstFile: folder.nextFile },
      run: { k: 'run', format, host: lines.host, markets, channels },
      onFailure: (error) => {
        this.#failure = error;
        failure$.error(error);
      },
    });
    const write = (line: RecordedLine) => {
      if (line.k === 'frame') this.#frames += 1;
      else if (line.k === 'gap') this.#gaps += 1;
      this.#writer.write(line);
    };
    this.#sockets = lines.sockets$.subscribe(write);
    const restart: readonly RecordedLine[] =
      folder.lastT === undefined ? [] : [{ t: now(), k: 'gap', reason: 'restart' }];
    this.progress$ = merge(
      failure$,
      merge(restart, lines.others$).pipe(tap(write), ignoreElements()),
      timer(0, progressMs).pipe(map(() => this.progress)),
    );
  }

  get progress(): RecordingProgress {
    return { frames: this.#frames, gaps: this.#gaps, ...this.#writer.totals };
  }

  /** Writes the rest, and unlocks the folder; `stopped` with a line that says so. Rejects when something is not written. */
  close(how: 'stopped' | 'failed'): Promise<void> {
    this.#closed ??= this.#close(how);
    return this.#closed;
  }

  async #close(how: 'stopped' | 'failed'): Promise<void> {
    // The connections end in this turn.
    await nextTurn();
    this.#sockets.unsubscribe();
    this.#writer.close(how === 'stopped' ? { t: this.#now(), k: 'stop' } : undefined);
    await this.#folder.unlock().catch(() => undefined);
    if (this.#failure !== undefined) throw this.#failure;
  }
}
