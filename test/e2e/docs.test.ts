// Every TypeScript block of the documents, and every example of a docstring, is compiled as a user would compile it.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.js';
import { blocksOf, documents, programs, root } from '../support/documents.js';
import { nameOf } from '../support/run-blocks.js';

describe('the code blocks of the documents', () => {
  const blocks = programs();

  it('are there', () => {
    expect(blocks.length).toBeGreaterThan(20);
    expect(new Set(blocks.map(({ file }) => dirname(file)))).toContain('docs');
  });

  it('compile, strictly', () => {
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
  }, 60_000);

  it('are of languages that a test looks at, or pictures', () => {
    const all = documents.flatMap(blocksOf);
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'json', 'text', 'mermaid']));
    for (const { language, code } of all) if (language === 'json') JSON.parse(code);
  });
});
