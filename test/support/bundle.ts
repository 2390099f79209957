// A program bundled by esbuild with what it uses of the built package, as its user would ship it.
import { build } from 'esbuild';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface Bundle {
  /** The files that are in it, from the package's folder. */
  readonly files: readonly string[];
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
    // Loaded only when it is asked for.
    external: ['ioredis'],
    metafile: true,
    write: false,
  });
  return { files: Object.keys(metafile.inputs), text: outputFiles.map(({ text }) => text).join('') };
}
