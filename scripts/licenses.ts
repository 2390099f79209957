// The licenses of the packages that are bundled into dist, as THIRD_PARTY_LICENSES shows them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

/** Names, versions and license texts. Throws for a package that has no license text. */
export function licensesOf(chunks: readonly Pick<OutputChunk, 'modules'>[]): string {
  const folders = new Set(
    chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? (packageOf(id) ?? []) : [])),
    ),
  );
  const parts = [...new Set([...folders].map(licenseOf))].sort();
  return [
    'The command, its dashboard and the sandbox of exchange-rx contain code of the following packages.\n',
    ...parts,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the package that a module is from: `…/node_modules/@scope/name`. */
function packageOf(id: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|-|$)/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
  if (text === '') throw new Error(`${name} ${version} is bundled, but has no license text`);
  return `${name} ${version}${license === undefined ? '' : ` (${license})`}\n\n${text}\n`;
}
