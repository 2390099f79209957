// The documents, and the blocks of code in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programOf } from '../../scripts/docs/example.js';

export const root = resolve(import.meta.dirname, '../..');

export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The blocks of a document, or of the docstrings of a source file. */
export function blocksOf(file: string): Block[] {
  const text = textOf(file).replaceAll(/^ *\* ?/gm, (start) => (file.endsWith('.ts') ? '' : start));
  return [...text.matchAll(/^```(?<language>\w+)\n(?<code>[\s\S]*?)^```/gm)].map(({ index, groups = {} }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    language: groups['language'] ?? '',
    code: file.startsWith('src/endpoints/') ? programOf(groups['code'] ?? '') : (groups['code'] ?? ''),
  }));
}

/** Made of the docstrings, whose examples stand in the sources. */
const reference = 'docs/reference/';

export const documents = [
  'README.md',
  'llms.txt',
  ...filesBelow('docs', '.md').filter((file) => !file.startsWith(reference)),
];
const sources = filesBelow('src', '.ts');

/** The programs of the documents and docstrings. A program that is shown twice is listed once. */
export function programs(): Block[] {
  const blocks = [...documents, ...sources].flatMap(blocksOf);
  return blocks.filter(
    ({ language, code }, index) => language === 'ts' && blocks.findIndex((other) => other.code === code) === index,
  );
}
