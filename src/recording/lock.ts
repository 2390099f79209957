// Keeps a second recorder out of a folder: a file that names the process which writes to it.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { RecordingError } from '../errors/index.js';
import { errorCode } from './failures.js';

const lockName = 'recorder.lock';
/** For recorders that start together: the last one to write the lock keeps it. */
const settleMs = 50;

const ownerSchema = v.object({ id: v.string(), host: v.string(), pid: v.number(), startedAt: v.number() });
type Owner = v.InferOutput<typeof ownerSchema>;

/** Locks a folder; resolves to the function that unlocks it. A lock whose process has ended is taken over. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockName);
  const own: Owner = { id: randomUUID(), host: hostname(), pid: process.pid, startedAt: performance.timeOrigin };
  await take(path, own);
  await delay(settleMs);
  const winner = await ownerOf(path);
  if (winner?.id !== own.id) throw locked(path, winner);
  return async () => {
    if ((await ownerOf(path))?.id === own.id) await rm(path, { force: true });
  };
}

async function take(path: string, own: Owner): Promise<void> {
  const text = JSON.stringify(own);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const owner = await ownerOf(path);
    if (owner !== undefined && isAlive(owner, own)) throw locked(path, owner);
    const aside = `${path}.${own.id}`;
    await writeFile(aside, text);
    await rename(aside, path);
  }
}

/** `undefined` for a lock that was cut while it was written, or is gone. */
async function ownerOf(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), ownerSchema), text);
  return read.success ? read.output : undefined;
}

function isAlive(owner: Owner, own: Owner): boolean {
  // Nothing is known of the processes of another machine.
  if (owner.host !== own.host) return true;
  // In a container, each recorder may get the number of the one before.
  if (owner.pid === own.pid) return owner.startedAt === own.startedAt;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function locked(path: string, owner: Owner | undefined): RecordingError {
  const by = owner === undefined ? '' : ` (process ${owner.pid} on ${owner.host})`;
  const advice = `Record to another folder, or delete ${path} if that recorder is gone`;
  return new RecordingError('record', 'locked', `another recorder writes to the folder${by}. ${advice}`);
}
