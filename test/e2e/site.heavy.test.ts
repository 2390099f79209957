// What the build of the site does not check: the navigation reaches every document, program and endpoint.
import { expect, it } from 'vitest';
import { groups } from '../../scripts/docs/groups.js';
import { files, navigation, pageOf, type Entry } from '../../site/documents.js';
import { typesOfNames } from '../../site/types.js';
import { blocksOf, filesBelow, root, textOf } from '../support/documents.js';

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

it('each example shows the types of its names, and what their docstrings say', () => {
  const types = typesOfNames(files());
  const pages = files().filter((file) => file.endsWith('.md'));
  const [names, unresolved]: [Set<string>, string[]] = [new Set(), []];
  for (const { file, line, code } of pages.flatMap(blocksOf).filter(({ language }) => language === 'ts')) {
    const options: Parameters<typeof types.preprocess>[1] = { lang: 'ts' };
    types.preprocess(code, options);
    for (const { start, end, properties } of options.decorations ?? []) {
      names.add(`${code.slice(start, end)}: ${properties.title}`);
      // The parameter of an error handler is `any` in RxJS.
      if (/^(?!\(parameter\)).*: any$/m.test(properties.title)) unresolved.push(`${file}:${line} ${properties.title}`);
    }
  }
  expect(unresolved).toEqual([]);
  expect([...names].filter((name) => name.includes(root))).toEqual([]);
  expect([...names]).toEqual(
    expect.arrayContaining([
      'createExchange: createExchange(given: ExchangeOptions): Exchange\n\nMakes a client of the exchange. Throws RequestError for an invalid option.',
      expect.stringMatching(/^placeLimitOrder: \(property\) placeLimitOrder: \(params: /),
    ]),
  );
});
