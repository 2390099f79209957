// The licenses of the packages that are bundled into dist, as THIRD_PARTY_LICENSES shows them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

/**
 * The copyright lines of MIT packages that are published without their license file, as it stands in their repositories,
 * by name and version: another version must be looked at again.
 */
const copyrights: Readonly<Record<string, string>> = {
  // https://github.com/tradingview/fancy-canvas/blob/master/LICENSE
  'fancy-canvas 2.1.0': 'Copyright (c) 2019 TradingView, Inc',
};

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * Names, versions and license texts of the packages in `chunks`, and of those in the folders `copied`. Throws for a
 * package that has no license text.
 */
export function licensesOf(chunks: readonly Pick<OutputChunk, 'modules'>[], copied: readonly string[]): string {
  const folders = new Set([
    ...copied,
    ...chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? (packageOf(id) ?? []) : [])),
    ),
  ]);
  const parts = [...new Set([...folders].map(licenseOf))].sort();
  return [
    'The command, its dashboard and the sandbox of exchange-rx contain parts of the following packages.\n',
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
  const text =
    file === undefined
      ? missingText(`${name} ${version}`, license)
      : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
  if (text === '') throw new Error(`${name} ${version} is bundled, but has no license text`);
  return `${name} ${version}${license === undefined ? '' : ` (${license})`}\n\n${text}\n`;
}

/** The text of a license that the package names, but does not contain. Empty for packages that are not known here. */
function missingText(package_: string, license: string | undefined): string {
  const copyright = copyrights[package_];
  return copyright === undefined || license !== 'MIT' ? '' : `${copyright}\n\n${mit}`;
}
