// A program bundled by esbuild with what it uses of the built package, as its user would ship it.
import { build } from 'esbuild';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface Bundle {
  /** The files that were read for it, from the package's folder. */
  readonly files: readonly string[];
  /** Those of them of which something is in it. */
  readonly shipped: readonly string[];
  readonly text: string;
}

export async function bundled(program: string): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // A program that imports without using is one that these tests ask for.
    logOverride: { 'ignored-bare-import': 'silent' },
    metafile: true,
    write: false,
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return {
    files: Object.keys(metafile.inputs),
    shipped: parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
    text: outputFiles.map(({ text }) => text).join(''),
  };
}
