// The tables of docs/dependencies.md: figures as package.json, package-lock.json and node_modules say; words as people
// wrote them.
import { sum, table, type Row } from '../support/figures.js';
import { closure, dependencies, devDependencies, locked, peerDependencies, sizeOf } from './lock.js';

const runtimeColumns = ['package', 'range', 'installed', 'licence', 'kB', 'brings', 'what for'];
const developmentColumns = ['package', 'range', 'licence', 'what for'];

const folderOf = (name: string) => `node_modules/${name}`;
const kilobytes = (bytes: number) => String(Math.round(bytes / 1000));

/** The page with its figures as they are now; a package that it has no words for yet is there without. */
export function renewed(page: string): string {
  const words = wordsOf(page);
  const runtime = Object.entries({ ...peerDependencies, ...dependencies }).map(([name, range]): Row => {
    const { version, license = '' } = locked(folderOf(name));
    return [
      `\`${name}\``,
      range,
      version,
      license,
      kilobytes(sizeOf(folderOf(name))),
      brings(name),
      words.get(name) ?? '',
    ];
  });
  const development = Object.entries(devDependencies)
    .filter(([name]) => !(name in peerDependencies))
    .map(([name, range]): Row => [`\`${name}\``, range, locked(folderOf(name)).license ?? '', words.get(name) ?? '']);
  const tables = [table(runtimeColumns, runtime), table(developmentColumns, development)];
  return page.replaceAll(/^\| package \|.*\n(?:\|.*\n)*/gm, () => `${tables.shift() ?? ''}\n`);
}

/** How many packages it needs in its turn, and how large they are. */
function brings(name: string): string {
  const others = [...closure(folderOf(name))].slice(1);
  return others.length === 0 ? 'none' : `${others.length}: ${kilobytes(sum(others.map(sizeOf)))} kB`;
}

/** What the last column of each row says. */
export function wordsOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    [...page.matchAll(/^\| `(?<name>[^`]+)` \|.*\| (?<words>[^|]*) \|$/gm)].map(({ groups }) => [
      groups?.['name'] ?? '',
      groups?.['words'] ?? '',
    ]),
  );
}
