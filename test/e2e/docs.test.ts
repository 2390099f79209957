// Every TypeScript block of the documents, and every example of a docstring, is compiled as a user would compile it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

interface Block {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

const root = resolve(import.meta.dirname, '../..');

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

function blocksOf(file: string): Block[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\* ?/gm, (start) => (file.endsWith('.ts') ? '' : start));
  return [...text.matchAll(/^```ts\n(?<code>[\s\S]*?)^```/gm)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    code: match.groups?.['code'] ?? '',
  }));
}

/** Made of the docstrings, whose examples are compiled where they stand. */
const reference = 'docs/reference/';

const blocks = ['README.md', ...filesBelow('docs', '.md').filter((file) => !file.startsWith(reference)), ...filesBelow('src', '.ts')].flatMap(blocksOf);
const pathOf = ({ file, line }: Block) => join(root, 'test/e2e', `block-${file.replaceAll(/[/.]/g, '-')}-${line}.ts`);

function compile(): Map<string, string[]> {
  const { config } = ts.readConfigFile(join(root, 'test/tsconfig.json'), (path) => ts.sys.readFile(path)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'test'));
  const sources = new Map(blocks.map((block) => [pathOf(block), `${block.code}\nexport {};\n`]));
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => sources.has(path) || disk.fileExists(path),
    readFile: (path) => sources.get(path) ?? disk.readFile(path),
    getSourceFile: (path, version, ...rest) => {
      const source = sources.get(path);
      return source === undefined ? disk.getSourceFile(path, version, ...rest) : ts.createSourceFile(path, source, version);
    },
  };
  const program = ts.createProgram([...sources.keys()], { ...options, noUnusedLocals: false }, host);
  return new Map(
    [...sources.keys()].map((path) => {
      const source = program.getSourceFile(path);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return [path, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))];
    }),
  );
}

describe('the code blocks of the documents', () => {
  it('are there', () => {
    expect(blocks.length).toBeGreaterThan(20);
    expect(new Set(blocks.map(({ file }) => dirname(file)))).toContain('docs');
  });

  it('compile, strictly', () => {
    expect([...compile()].filter(([, messages]) => messages.length > 0)).toEqual([]);
  }, 60_000);
});
