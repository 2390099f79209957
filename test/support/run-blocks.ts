// Runs blocks of the documents: bundled together, several at once in a worker, for a limited time.
import { build } from 'esbuild';
import { symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { root, textOf, type Block } from './documents.js';

export function nameOf({ file, line }: Block): string {
  return `block-${file.replaceAll(/[/.]/g, '-')}-${line}`;
}

/** The source file of each entry point of the package, by its import name. */
function entryPoints(): Record<string, string> {
  const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, { readonly default?: string }> };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([path, { default: built }]) =>
      built === undefined
        ? []
        : [[`exchange-rx${path.slice(1)}`, join(root, built.replace('./dist/', 'src/').replace('.js', '.ts'))]],
    ),
  );
}

/** Bundles blocks in an empty folder. Returns what runs some of them. */
export async function prepare(blocks: readonly Block[], folder: string) {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const files = blocks.map((block) => join(folder, `${nameOf(block)}.ts`));
  for (const [index, block] of blocks.entries()) writeFileSync(files[index] ?? '', `${block.code}\nexport {};\n`);
  const world = join(root, 'test/support/world-of-blocks.ts');
  await build({
    entryPoints: Object.fromEntries([world, ...files].map((file) => [basename(file, '.ts'), file])),
    outdir: join(folder, 'out'),
    alias: { ...entryPoints(), 'exchange-rx': join(root, 'test/support/exchange-of-blocks.ts') },
    absWorkingDir: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    // Bundled with their packages, so that a worker reads a few files instead of hundreds.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    external: ['ioredis'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  // Few at a time, because tests that measure time run at the same time.
  const queue = new PQueue({ concurrency: 3 });
  const outOf = (name: string) => pathToFileURL(join(folder, 'out', `${name}.mjs`));

  async function runNow(together: readonly Block[], maxMs: number) {
    const worker = new Worker(outOf('world-of-blocks'), {
      workerData: together.map((block) => outOf(nameOf(block)).href),
      stdout: true,
      stderr: true,
    });
    let stdout = '';
    let stderr = '';
    worker.stdout.on('data', (chunk) => (stdout += String(chunk)));
    worker.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const exited = once(worker, 'exit').then(([code]) => {
      // 13: a block waits for a promise that never settles.
      if (code !== 0) throw new Error(`exit code ${String(code)}: ${stderr}`);
      return 'by itself' as const;
    });
    await Promise.race([exited, once(worker, 'message')]);
    const outOfTime = new AbortController();
    const ended = await Promise.race([exited, sleep(maxMs, 'streaming' as const, { signal: outOfTime.signal })]);
    outOfTime.abort();
    exited.catch(() => undefined); // terminated here, which is no failure
    await worker.terminate();
    /** `streaming`: a block was still running at the end of the time. */
    return { ended, stdout, stderr };
  }

  /** Runs blocks in one worker for at most this time. Rejects with an error that one threw or left unhandled. */
  return (together: readonly Block[], maxMs: number) => queue.add(() => runNow(together, maxMs));
}
