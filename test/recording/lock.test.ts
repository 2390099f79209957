// One recorder writes to a folder at a time; one that was killed keeps none out.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockedFolder } from '../../src/recording/folder.js';
import { lockFolder } from '../../src/recording/lock.js';
import { frame, newFolder, start, written } from './folders.js';

const ended = spawnSync(process.execPath, ['-e', '']).pid;
const own = { id: 'other', host: hostname(), pid: process.pid, startedAt: performance.timeOrigin };

function lockedBy(lock: unknown) {
  const folder = newFolder();
  const path = join(folder, 'recorder.lock');
  writeFileSync(path, JSON.stringify(lock));
  return { folder, path };
}

describe('the lock of a folder', () => {
  it('is of one recorder when two start together', async () => {
    const { folder } = lockedBy({ ...own, pid: ended });
    const results = await Promise.allSettled([lockFolder(folder), lockFolder(folder)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['the process has ended', { ...own, pid: ended }],
    ['this process has the number of one that has ended', { ...own, startedAt: 1 }],
    ['the lock was cut', 'cut'],
  ])('is taken over when %s', async (_why, lock) => {
    const unlock = await lockFolder(lockedBy(lock).folder);
    await unlock();
  });

  it.each([
    ['another process runs', { ...own, pid: process.ppid }],
    ['it is of another machine', { ...own, host: 'elsewhere', pid: ended }],
  ])('holds while %s', async (_why, lock) => {
    const { folder, path } = lockedBy(lock);
    await expect(lockFolder(folder)).rejects.toThrow(`(process ${lock.pid} on ${lock.host})`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(lock);
  });

  it('that another recorder has taken over is not deleted', async () => {
    const folder = newFolder();
    const unlock = await lockFolder(folder);
    const path = join(folder, 'recorder.lock');
    writeFileSync(path, JSON.stringify(own));
    await unlock();
    expect(existsSync(path)).toBe(true);
  });
});

it('a folder with a recording of another exchange is an error, and stays unlocked', async () => {
  const folder = newFolder();
  written(folder, [[frame(start)]]);
  const other = lockedFolder(folder, 'wss://other.example/ws');
  await expect(other).rejects.toMatchObject({ reason: 'other-exchange' });
  expect(existsSync(join(folder, 'recorder.lock'))).toBe(false);
});
