// Every TypeScript block of the documents and docstrings compiles, as it would for a user.
import { transform } from 'esbuild';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.js';
import { blocksOf, documents, filesBelow, programs, root, textOf } from '../support/documents.js';
import { nameOf } from '../support/run-blocks.js';

describe('the code blocks of the documents', () => {
  const blocks = programs();

  it('are found in the README and in docs', () => {
    expect(blocks.length).toBeGreaterThan(20);
    expect(new Set(blocks.map(({ file }) => dirname(file)))).toContain('docs');
  });

  it('compile in strict mode', () => {
    const texts = new Map(
      blocks.map((block) => [join(root, 'test/e2e', `${nameOf(block)}.ts`), `${block.code}\nexport {};\n`]),
    );
    const program = compiled(texts);
    const wrong = [...texts.keys()].flatMap((path) => {
      const source = program.getSourceFile(path);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return found.map(({ messageText }) => [path, ts.flattenDiagnosticMessageText(messageText, '\n')]);
    });
    expect(wrong).toEqual([]);
  }, 120_000);

  it('have a language that a test checks', () => {
    const all = documents.flatMap(blocksOf);
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'json', 'text']));
    for (const { language, code } of all) if (language === 'json') JSON.parse(code);
  });
});

// A CommonJS project, which `npm init` makes, has no top-level await.
it.each(filesBelow('docs/examples', '.ts'))('%s compiles to CommonJS', async (file) => {
  expect((await transform(textOf(file), { loader: 'ts', format: 'cjs' })).warnings).toEqual([]);
});
