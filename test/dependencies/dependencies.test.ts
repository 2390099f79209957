// The dependencies: few, with permissive licenses, and as docs/dependencies.md says.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundled, dependencies, devDependencies, locked, peerDependencies, shippedFolders } from './lock.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/dependencies.md'), 'utf8');

/** Licenses whose only condition is that their text is kept. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

/** The names in the first column of the table below a heading. */
function namesBelow(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `(?<name>[^`]+)` \| (?=\S)/gm)].map(({ groups }) => groups?.['name'] ?? '').sort();
}

describe('the page of the dependencies', () => {
  it('has every dependency, each bundled package and each development dependency, with its purpose, and no others', () => {
    expect(namesBelow('What users install')).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
    expect(namesBelow('What is bundled')).toEqual([...bundled].sort());
    const others = Object.keys(devDependencies).filter(
      (name) => !bundled.includes(name) && !(name in peerDependencies),
    );
    expect(namesBelow('For development')).toEqual(others.sort());
  });

  it('has the reason for each package that users get', () => {
    const names = [...Object.keys({ ...dependencies, ...peerDependencies }), ...bundled];
    expect(names.filter((name) => !page.includes(`\n- \`${name}\` (`))).toEqual([]);
  });
});

it('the licenses of all packages that users get are permissive', () => {
  expect([...shippedFolders()].filter((folder) => !permissive.includes(locked(folder).license ?? 'none'))).toEqual([]);
});
