// Everything that is generated from the definitions of the endpoints, by file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint, OrderSearch, PagedList } from '../../src/endpoint/index.js';
import * as namespaces from '../../src/endpoints/groups.js';
import { withDocstring } from './docstrings.js';
import { groups, root, type Group, type MemberFile } from './groups.js';
import { Sources } from './program.js';
import { sharedLimits, groupPage, methodsPage } from './reference.js';

export const referenceFolder = 'docs/reference';

type Members = Readonly<Record<string, Endpoint | PagedList | OrderSearch>>;

function endpointOf(group: Group, { method }: MemberFile): Endpoint | undefined {
  const members: Members | undefined = Object.entries<Members>(namespaces).find(([name]) => name === group.name)?.[1];
  const member = members?.[method];
  return member !== undefined && 'path' in member ? member : undefined;
}

const all = groups();
const endpoints = all.flatMap((group) => group.members.flatMap((member) => endpointOf(group, member) ?? []));

/** The generated docstrings of src. */
export function generatedSources(): Map<string, string> {
  return new Map(
    all.flatMap((group) =>
      group.members.flatMap((member) => {
        const endpoint = endpointOf(group, member);
        return endpoint === undefined ? [] : [[member.file, withDocstring(group, member, endpoint)] as const];
      }),
    ),
  );
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
      groupPage(sources, group, (member) => endpointOf(group, member)),
    ]),
  );
}
