// What `npm run docs` writes is as it would write it now.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedDocs } from '../../scripts/docs/generated.js';
import { indexes, root } from '../../scripts/docs/groups.js';
import { placeholder } from '../../scripts/docs/placeholder.js';

const stale = 'is stale: run npm run docs';
const textOf = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');

it('no definition and no recorded response has a placeholder left', () => {
  const files = ['src/endpoints', 'src/live/channels', 'test/recorded'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|json)$/.test(file))
      .map((file) => join(folder, file)),
  );
  expect(files.filter((file) => textOf(file).includes(placeholder))).toEqual([]);
});

describe('generated files', () => {
  const docs = generatedDocs();

  it.each([...indexes()])('%s lists the members of the folder', (file, text) => {
    expect(textOf(file), `${file} ${stale}`).toBe(text);
  });

  it.each([...docs])('%s follows the definitions', (file, text) => {
    expect(textOf(file), `${file} ${stale}`).toBe(text);
  });
});
