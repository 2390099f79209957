// The folder of a recording, as a recorder finds it: locked, and with what earlier recorders left.
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordingError } from '../errors/index.js';
import { recordingError } from './failures.js';
import { linesOfFile } from './file-lines.js';
import { lockFolder } from './lock.js';
import { fileNames, numberOf, readManifest, type StoredFile } from './manifest.js';

/** A locked folder. */
export interface RecordingFolder {
  readonly unlock: () => Promise<void>;
  /** The files that the manifest has. */
  readonly files: readonly StoredFile[];
  /** Number of the next file. */
  readonly nextFile: number;
  /** No line of an earlier recorder is later, Unix ms; `undefined` in a new folder. */
  readonly lastT: number | undefined;
}

/**
 * Makes and locks a folder. Rejects with {@link RecordingError}.
 *
 * @param host the exchange that is recorded
 */
export async function lockedFolder(folder: string, host: string): Promise<RecordingFolder> {
  let unlock: (() => Promise<void>) | undefined;
  try {
    await mkdir(folder, { recursive: true });
    unlock = await lockFolder(folder);
    const [names, stored] = await Promise.all([fileNames(folder), readManifest('record', folder)]);
    const last = names.at(-1);
    if (last === undefined) return { unlock, files: [], nextFile: 1, lastT: undefined };
    const path = join(folder, last);
    const lastHost = await hostOf(path);
    if (lastHost !== undefined && lastHost !== host)
      throw new RecordingError('record', 'other-exchange', `${folder} has a recording of ${lastHost}, not of ${host}`);
    // The last line of a killed recorder is not known, but not later than the last change of its file.
    const lastT = Math.max(...stored.map(({ to }) => to), (await stat(path)).mtimeMs);
    return { unlock, files: stored.filter(({ name }) => names.includes(name)), nextFile: numberOf(last) + 1, lastT };
  } catch (error) {
    await unlock?.().catch(() => undefined);
    throw recordingError('record', 'unwritable', `${folder} cannot be written`, error);
  }
}

/** The first line of a file has it. */
async function hostOf(path: string): Promise<string | undefined> {
  for await (const [line] of linesOfFile('record', path)) return line?.k === 'run' ? line.host : undefined;
  return undefined;
}
