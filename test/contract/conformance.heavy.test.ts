// docs/evidence/conformance.md lists every row of the description with its test, so that no row is forgotten.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { conformancePage } from '../../scripts/docs/conformance.js';
import { root } from '../../scripts/docs/groups.js';

it('docs/evidence/conformance.md lists exactly the rows that the contract tests show', async () => {
  for (const [file, text] of await conformancePage())
    expect(await readFile(join(root, file), 'utf8'), `${file} is stale: run npm run docs`).toBe(text);
});
