// Everything that is generated from the definitions of the endpoints, by file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../src/endpoint/index.js';
import * as namespaces from '../../src/endpoints/groups.js';
import { withDocstring } from './docstrings.js';
import type { Member } from './facts.js';
import { groups, root, type Group, type MemberFile } from './groups.js';
import { Sources } from './program.js';
import { sharedLimits, groupPage, methodsPage } from './reference.js';

export const referenceFolder = 'docs/reference';

type Members = Readonly<Record<string, Member>>;

function memberOf({ name }: Group, { method, file }: MemberFile): Member {
  const members: Members | undefined = Object.entries<Members>(namespaces).find((entry) => entry[0] === name)?.[1];
  const member = members?.[method];
  if (member === undefined) throw new Error(`${file} is not in the index of its group: run npm run docs again`);
  return member;
}

function endpointOf(group: Group, file: MemberFile): Endpoint | undefined {
  const member = memberOf(group, file);
  return 'path' in member ? member : undefined;
}

const all = groups();
const endpoints = all.flatMap((group) => group.members.flatMap((member) => endpointOf(group, member) ?? []));

/** Completes the docstrings of the members in a folder of declarations. */
export function writeDocstrings(folder: string): void {
  for (const group of all)
    for (const file of group.members) {
      const path = join(folder, file.file.replace(/^src\/(.*)\.ts$/, '$1.d.ts'));
      writeFileSync(path, withDocstring(readFileSync(path, 'utf8'), group, file, memberOf(group, file)));
    }
}

const region = (name: string) => new RegExp(`(<!-- from the code: ${name} -->\\n)[^]*?(\\n<!-- end -->)`);

/** A page whose marked region is generated. */
function withRegion(page: string, name: string, text: string): readonly [file: string, text: string] {
  const current = readFileSync(join(root, page), 'utf8');
  if (!region(name).test(current)) throw new Error(`${page} has no region <!-- from the code: ${name} -->`);
  return [page, current.replace(region(name), (_, start: string, end: string) => start + text + end)];
}

/** The generated page of docs that is kept, and the generated region of another. */
export function generatedDocs(): Map<string, string> {
  return new Map([
    ['docs/methods.md', methodsPage(all, endpointOf)],
    withRegion('docs/limits.md', 'limits', sharedLimits(endpoints)),
  ]);
}

/** The pages of docs/reference, which `npm run build` writes. */
export function referencePages(): Map<string, string> {
  const sources = new Sources();
  return new Map(
    all.map((group) => [
      `${referenceFolder}/${group.folder}.md`,
      groupPage(sources, group, (file) => memberOf(group, file)),
    ]),
  );
}
