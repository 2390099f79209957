// What the build of the site does not check: the navigation reaches every document, program and endpoint.
import { expect, it } from 'vitest';
import { groups } from '../../scripts/docs/groups.js';
import { navigation, pageOf, type Entry } from '../../site/documents.js';
import { filesBelow, textOf } from '../support/documents.js';

const linksOf = ({ link, items = [] }: Entry): string[] => [link, ...items.flatMap(linksOf)];
const links = navigation()
  .flatMap(({ items }) => items)
  .flatMap(linksOf);

it('the navigation of the site has each document and program once', () => {
  const atTop = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const files = [...atTop, ...filesBelow('docs', '.md'), ...filesBelow('docs/examples', '.ts')];
  expect(links.sort()).toEqual(files.map((file) => `/${pageOf(file)}`).sort());
});

it('the reference of each group has a section for each of its methods', () => {
  const missing = groups().flatMap(({ name, folder, members }) => {
    const page = textOf(`docs/reference/${folder}.md`);
    return members.map(({ method }) => `${name}.${method}`).filter((member) => !page.includes(`\n## \`${member}\`\n`));
  });
  expect(missing).toEqual([]);
});
