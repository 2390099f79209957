// Folders of tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** An empty folder, which is deleted after the tests of a file or of a `describe`. */
export function folderOfTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
