// Writes lines to the files of a recording: in members of a second or 256 KiB, in files of an hour. A member is written
// in the turn in which it ends: between turns, a burst of frames could delay it for seconds, and a killed recorder would
// lose them. So a slow disk delays the frames, too; memory holds one member.
import { createHash, type Hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordingError } from '../errors/index.js';
import { recordingError } from './failures.js';
import { renderLine, type RecordedLine, type RecordedRun } from './line.js';
import { addLine, emptySummary, nameOfFile, writeManifest, type FileSummary, type StoredFile } from './manifest.js';
import { memberOf } from './member.js';

/** Less than the second that a killed recorder may lose: timers are late. */
const maxMemberMs = 800;
/** Characters of a member. */
const maxMemberLength = 256 * 1024;
const hourMs = 3_600_000;

export interface WriterOptions {
  readonly folder: string;
  /** What each file begins with. */
  readonly run: Omit<RecordedRun, 't'>;
  /** Number of the first file. */
  readonly firstFile: number;
  /** The files that the manifest has. */
  readonly files: readonly StoredFile[];
  /** Whether each member is on the disk before the next one is written. */
  readonly fsync: boolean;
  /** Nothing more is written. Called once. */
  readonly onFailure: (error: RecordingError) => void;
}

/** The file that is being filled. */
interface OpenFile {
  readonly hour: number;
  readonly path: string;
  readonly summary: FileSummary;
  readonly hash: Hash;
  bytes: number;
}

export class RecordingWriter {
  readonly #options: WriterOptions;
  #files: readonly StoredFile[];
  #count: number;
  #file: OpenFile | undefined;
  #lines: string[] = [];
  /** Characters of these lines. */
  #length = 0;
  /** Time of the first of these lines. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  readonly #totals = { lines: 0, bytes: 0 };

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#count = options.firstFile;
  }

  /** Lines, also those that are not written yet, and bytes on the disk. */
  get totals(): { readonly lines: number; readonly bytes: number } {
    return this.#totals;
  }

  /** Adds a line. Its time must not be before that of the last one. */
  write(line: RecordedLine): void {
    if (this.#isOver) return;
    this.#orFail(() => {
      const hour = Math.floor(line.t / hourMs);
      if (this.#file?.hour !== hour) {
        this.#closeFile();
        this.#file = this.#newFile(hour, line.t);
        this.#append(this.#file, { t: line.t, ...this.#options.run });
      }
      this.#append(this.#file, line);
      // Timers do not run during a burst of frames.
      if (this.#length >= maxMemberLength || line.t - this.#since >= maxMemberMs) this.#endMember();
      else
        this.#timer ??= setTimeout(() => {
          this.flush();
        }, maxMemberMs);
    });
  }

  /** Ends a member: what was written until now is on the disk, or in the system's memory for it. */
  flush(): void {
    this.#orFail(() => {
      this.#endMember();
    });
  }

  /** Writes the last line, if given, and closes the file: everything is on the disk. */
  close(stop?: RecordedLine): void {
    if (stop !== undefined) this.write(stop);
    if (this.#isOver) return;
    this.#orFail(() => {
      this.#closeFile();
    });
    this.#isOver = true;
  }

  #newFile(hour: number, t: number): OpenFile {
    const summary = emptySummary(nameOfFile(this.#count, t));
    this.#count += 1;
    return { hour, path: join(this.#options.folder, summary.name), summary, hash: createHash('sha256'), bytes: 0 };
  }

  #append({ summary }: OpenFile, line: RecordedLine): void {
    addLine(summary, line);
    const text = `${renderLine(line)}\n`;
    if (this.#length === 0) this.#since = line.t;
    this.#lines.push(text);
    this.#length += text.length;
    this.#totals.lines += 1;
  }

  #endMember(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const file = this.#file;
    if (file === undefined || this.#length === 0) return;
    const bytes = memberOf(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
    appendFileSync(file.path, bytes, { flush: this.#options.fsync });
    file.hash.update(bytes);
    file.bytes += bytes.length;
    this.#totals.bytes += bytes.length;
  }

  #closeFile(): void {
    this.#endMember();
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    appendFileSync(file.path, '', { flush: true });
    const { summary, bytes, hash } = file;
    this.#files = [...this.#files, { ...summary, bytes, sha256: hash.digest('hex') }];
    writeManifest(this.#options.folder, this.#files);
  }

  /** Nothing is written after a failure. */
  #orFail(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#isOver = true;
      clearTimeout(this.#timer);
      const { folder, onFailure } = this.#options;
      onFailure(recordingError('record', 'unwritable', `${folder} cannot be written`, error));
    }
  }
}
