// A program bundled by esbuild with what it uses of the built package, as its user would ship it.
import { build } from 'esbuild';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '../..');

export interface Bundle {
  /** The files that were read for it, from the package's folder. */
  readonly files: readonly string[];
  /** Those of them of which something is in it. */
  readonly shipped: readonly string[];
  readonly text: string;
  readonly warnings: readonly string[];
}

export async function bundled(program: string): Promise<Bundle> {
  const { metafile, outputFiles, warnings } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    metafile: true,
    write: false,
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return {
    files: Object.keys(metafile.inputs),
    shipped: parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
    text: outputFiles.map(({ text }) => text).join(''),
    warnings: warnings.map(({ text }) => text),
  };
}

/** The text of a program that Rolldown bundles; its packages are left out. */
export async function bundledByRolldown(program: string): Promise<string> {
  const input = join(root, 'program.js');
  const bundle = await rolldown({
    input,
    cwd: root,
    external: (id) => !id.startsWith('exchange-rx') && !id.startsWith('.') && !id.startsWith(root),
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === input ? id : undefined),
        load: (id) => (id === input ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  return output[0].code;
}
