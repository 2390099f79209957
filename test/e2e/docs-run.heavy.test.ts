// Every TypeScript block of the documents, and every example of a docstring, is run on the sandbox.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, programs, root, textOf, type Block } from '../support/documents.js';
import { nameOf, prepare, type BlockPrograms } from '../support/run-blocks.js';

const blocks = programs();
const isTest = ({ code }: Block) => code.includes("from 'vitest'");
const streamingMs = 1500;
const longestMs = 30_000;

/** Streams: they end when their subscribers leave, here with their worker. */
const endless = /\b(watchBalance|watchHealth|poll|interval)\(|price\$|usage\$|redis:/;

describe.concurrent('run on the sandbox', () => {
  // The examples are run, to their end, by examples.test.ts.
  const examples = new Set(filesBelow('docs/examples', '.ts').map(textOf));
  const run = blocks.filter((block) => !examples.has(block.code) && !isTest(block));
  let prepared: BlockPrograms;

  beforeAll(async () => {
    prepared = await prepare(run);
  });
  afterAll(() => {
    prepared.remove();
  });

  it.each(run.map((block) => [`${block.file}:${block.line}`, block] as const))(
    '%s throws nothing, leaves no rejection unhandled, and ends',
    async (_, block) => {
      const isEndless = endless.test(block.code);
      const { ended, stderr } = await prepared.run(block, isEndless ? streamingMs : longestMs);
      expect(stderr).toBe('');
      if (!isEndless) expect(ended).toBe('by itself');
    },
    90_000,
  );
});

describe('the tests of the documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-tests-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  // Each registers its tests here.
  for (const block of blocks.filter(isTest)) {
    const path = join(folder, `${nameOf(block)}.ts`);
    writeFileSync(path, block.code);
    describe(`${block.file}:${block.line}`, () => import(path) as Promise<void>);
  }
});

describe('what runs them', () => {
  const told: Readonly<Record<string, readonly [code: string, failure: RegExp | undefined]>> = {
    'a value': ["console.log('fine');", undefined],
    'what is thrown': ["throw new Error('thrown');", /thrown/],
    'what is thrown later': ["setTimeout(() => { throw new Error('later'); }, 10);", /later/],
    'a rejection that nobody handles': ["Promise.reject(new Error('unhandled'));", /unhandled/],
    'an error that nobody handles': [
      "exchange.orders.cancel({ market: 'BTC_USDT', order_id: 1 }).subscribe();",
      /cancelOrder: HTTP 422/,
    ],
    'what waits in vain': ['await new Promise(() => undefined);', /13/],
  };
  const blocksToTell = Object.entries(told).map(([file, [code]]): Block => ({ file, line: 1, language: 'ts', code }));
  let prepared: BlockPrograms;

  beforeAll(async () => {
    prepared = await prepare(blocksToTell);
  });
  afterAll(() => {
    prepared.remove();
  });

  it.each(blocksToTell)('tells $file', async (block) => {
    const failure = told[block.file]?.[1];
    const running = prepared.run(block, longestMs);
    if (failure === undefined) expect(await running).toEqual({ ended: 'by itself', stdout: 'fine\n', stderr: '' });
    else await expect(running).rejects.toThrow(failure);
  });
});
