// A program bundled by esbuild with what it uses of the built package, as its user would ship it.
import { build } from 'esbuild';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '../..');

export async function bundled(program: string) {
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
    /** The files that were read for it, from the package's folder. */
    files: Object.keys(metafile.inputs),
    /** Those of them of which something is in it. */
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
