// Every TypeScript block of the documents and docstrings runs on the sandbox.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, programs, root, textOf, type Block } from '../support/documents.js';
import { folderOfTests } from '../support/folders.js';
import { nameOf, prepare } from '../support/run-blocks.js';

const blocks = programs();
const isTest = ({ code }: Block) => code.includes("from 'vitest'");
const streamingMs = 800;
const maxMs = 30_000;

/** Blocks with streams that run until they are unsubscribed: here, until their worker is terminated. */
const endless = /\b(watch[A-Z]\w+|poll|interval|live\s*\.\w+|my\.\w+)\(|price\$|usage\$|redis:/;

describe.concurrent('the blocks of the documents', () => {
  // The examples are run by examples.heavy.test.ts.
  const examples = new Set(filesBelow('docs/examples', '.ts').map(textOf));
  const run = blocks.filter((block) => !examples.has(block.code) && !isTest(block));
  const folder = folderOfTests();
  let runTogether: Awaited<ReturnType<typeof prepare>>;

  beforeAll(async () => {
    runTogether = await prepare(run, folder);
  });

  // The name of a block that fails is in the stack of its error.
  const together = new Map<string, Block[]>();
  for (const block of run) {
    const page = /^src(?:\/endpoints)?/.exec(block.file)?.[0] ?? block.file;
    const name = endless.test(block.code) ? `streams of ${page}` : page;
    together.set(name, [...(together.get(name) ?? []), block]);
  }

  it.each([...together])(
    '%s: every block runs without an error or an unhandled rejection, and ends',
    async (name, page) => {
      const isEndless = name.startsWith('streams');
      const { ended, stderr } = await runTogether(page, isEndless ? streamingMs : maxMs);
      expect(stderr).toBe('');
      if (!isEndless) expect(ended).toBe('by itself');
    },
  );
});

describe('the blocks that are tests', () => {
  const folder = folderOfTests();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

  // Importing a block registers its tests here.
  for (const block of blocks.filter(isTest)) {
    const path = join(folder, `${nameOf(block)}.ts`);
    writeFileSync(path, block.code);
    describe(`${block.file}:${block.line}`, () => import(path) as Promise<void>);
  }
});
