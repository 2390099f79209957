// `npm run build`: dist, as it is published. The package's own modules are bundled into a few files that the entry
// points share, so that every class exists once. The packages of the command, its page and the sandbox are bundled with
// them; the packages that a bot needs stay dependencies.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown, type OutputChunk, type OutputOptions, type Plugin, type PreRenderedChunk } from 'rolldown';
import { rollup, type Plugin as RollupPlugin } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { writeDocstrings } from './docs/generated.js';
import { licensesOf } from './licenses.js';
import { writePage } from './page.js';
import { writePlainTypes } from './plain-types.js';
import { pureInitializers } from './pure-initializers.js';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly sideEffects: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const dist = join(root, 'dist');
const declarations = join(root, 'build/types');
const page = 'cli/dashboard/page';
const counted = join(root, 'build/counted');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const isDependency = (id: string) => dependencies.some((name) => id === name || id.startsWith(`${name}/`));

/** `sandbox/index` for `./dist/sandbox/index.js`. */
const nameOf = (file: string) => file.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, '');
const entryPoints = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [nameOf(entry.default)],
);
/** The groups of endpoints, and the channels of values, which are namespaces: see {@link namespaces}. */
const groups = [
  ...readdirSync(join(src, 'endpoints'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`endpoints/${entry.name}/index`] : [],
  ),
  'live/channels/index',
];
const programs = manifest.sideEffects.map(nameOf).filter((name) => !name.startsWith(page));
const filesOf = (names: readonly string[], folder: string, extension: string) =>
  Object.fromEntries(names.map((name) => [name, join(folder, `${name}${extension}`)]));

/**
 * CommonJS packages `require` Node's modules. The bundler's way to do so needs `import.meta.url`, which is missing where
 * a user bundles this package to CommonJS.
 */
const builtins: Plugin = {
  name: 'builtins',
  resolveId: (id, _importer, { kind }) => {
    if (!isBuiltin(id)) return undefined;
    return kind === 'require-call' ? `\0builtin:${id}` : { id, external: true };
  },
  load: (id) =>
    id.startsWith('\0builtin:')
      ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice('\0builtin:'.length))});`
      : undefined,
};

/** Leaves the sources of other packages out of the maps, which would be three times as large. */
const noMapsOfPackages: Plugin = {
  name: 'no-maps-of-packages',
  transform: (code, id) => (id.includes('node_modules') ? { code, map: { mappings: '' } } : undefined),
};

/** Drops imports for side effects alone, of which users' bundlers warn: no module here has side effects. */
const noBareImports: Plugin = {
  name: 'no-bare-imports',
  generateBundle: (_options, files) => {
    for (const [name, file] of Object.entries(files)) {
      if (file.type !== 'chunk') continue;
      // An empty line keeps the source map right.
      file.code = file.code.replaceAll(/^import "[^"]+";$/gm, '');
      if (!file.isEntry && file.exports.length === 0) Reflect.deleteProperty(files, name);
    }
  },
};

/**
 * Keeps modules that are exported as namespaces modules of their own. A bundler would make an object of each, of which
 * users' bundlers could drop nothing.
 */
const namespaces: Plugin = {
  name: 'namespaces',
  resolveId: (id, importer) => {
    const file = importer === undefined ? '' : resolve(dirname(importer), id);
    return groups.includes(nameOf(relative(src, file))) ? { id: file, external: 'relative' } : undefined;
  },
};

/** The folder below src that most modules of a shared file are from: stack traces show it. */
function sharedName({ moduleIds }: PreRenderedChunk): string {
  const folders = moduleIds.flatMap((id) => (id.startsWith(src) ? [relative(src, id).split('/')[0] ?? ''] : []));
  const count = (folder: string) => folders.filter((other) => other === folder).length;
  const [name = 'runtime'] = [...folders].sort((one, other) => count(other) - count(one) || (one < other ? -1 : 1));
  return `shared/${name.replace(/\.ts$/, '')}-[hash].js`;
}

const names = {
  entryFileNames: '[name].js',
  chunkFileNames: sharedName,
  hoistTransitiveImports: false,
} satisfies OutputOptions;

async function bundle(input: Record<string, string>, platform: 'node' | 'browser'): Promise<OutputChunk[]> {
  const build = await rolldown({
    cwd: root,
    input,
    platform,
    external: platform === 'node' ? isDependency : [],
    plugins: [namespaces, pureInitializers(src), builtins, noMapsOfPackages, noBareImports],
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  // Branches are counted in the page's script as it is before: a minified one cannot be led back to its sources.
  if (platform === 'browser') await build.write({ dir: counted, format: 'esm', sourcemap: true, ...names });
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    // The page is read by browsers only, and its script is most of its size.
    minify: platform === 'browser',
    ...names,
  });
  return output.filter((file) => file.type === 'chunk');
}

/** {@link namespaces} for declarations: bundled, a namespace would keep its values and lose its types. */
const declaredNamespaces: RollupPlugin = {
  name: 'declared-namespaces',
  resolveId: (id, importer) => {
    const file = importer === undefined ? '' : resolve(dirname(importer), id);
    return groups.includes(nameOf(relative(declarations, file))) ? { id: file, external: 'relative' } : undefined;
  },
};

/**
 * Exports the members of a group where they are declared. An editor finds no docstring of a client's method behind a
 * list of exports: its type is made of the members of the group.
 */
const declaredExports: RollupPlugin = {
  name: 'declared-exports',
  renderChunk: (code, { name }) => {
    if (!groups.includes(name)) return undefined;
    const [list = '', names = ''] = /^export \{ (.*) \};$/m.exec(code) ?? [];
    const isDeclared = (exported: string) => new RegExp(`^declare (const|function) ${exported}\\b`, 'm').test(code);
    const [declared, others] = [true, false].map((is) => names.split(', ').filter((one) => isDeclared(one) === is));
    return (declared ?? []).reduce(
      (text, exported) => text.replaceAll(new RegExp(`^(?=declare (const|function) ${exported}\\b)`, 'gm'), 'export '),
      code.replace(list, () => `export { ${others?.join(', ')} };`),
    );
  },
};

/** Interfaces that others extend only, lists whose items are the literals of a union, and the groups. */
const bases = [
  ...['AllItemsParams', 'Bound', 'BulkParams', 'CancelFields', 'CancelOcoFields', 'ExactlyOne', 'LimitOrderParams'],
  ...[
    'AmountToCheck',
    'CollateralOrderParams',
    'HistoryPageParams',
    'LimitPriceParams',
    'PageParams',
    'PeriodParams',
    'RecordsPage',
  ],
  ...['DealParams', 'OrderFlags', 'OrderParams', 'PriceParams', 'Reference', 'StopLimitOrderParams', 'TriggerParams'],
  ...['Channel', 'depthIntervals', 'depthLimits', 'groups', 'GroupName'],
];

/**
 * Whether a warning of private types names only what public interfaces extend, or lists of literals. A program's
 * inferred types name the interfaces and the literals, never these.
 */
function namesOnlyBases(warning: string): boolean {
  const names = /private shared type exports with no public re-export: ([^.]+)\./.exec(warning)?.[1]?.split(', ') ?? [];
  return names.length > 0 && names.every((name) => bases.includes(name));
}

/** Declarations that several entry points share are in shared files, too. */
async function bundleDeclarations(): Promise<void> {
  const build = await rollup({
    input: filesOf([...entryPoints, ...groups], declarations, '.d.ts'),
    external: (id) => isBuiltin(id) || isDependency(id),
    plugins: [declaredNamespaces, dts(), declaredExports],
    onLog: (_level, { message }) => {
      if (!namesOnlyBases(message)) throw new Error(message);
    },
  });
  await build.write({
    dir: dist,
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, '')}-[hash].d.ts`,
    hoistTransitiveImports: false,
  });
}

for (const folder of ['dist', 'build']) rmSync(join(root, folder), { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.json'], {
  cwd: root,
  stdio: 'inherit',
});
writePlainTypes(declarations);
writeDocstrings(declarations);
const chunks = [
  ...(await bundle(filesOf([...entryPoints, ...groups, ...programs], src, '.ts'), 'node')),
  ...(await bundle(filesOf([`${page}/main`], src, '.ts'), 'browser')),
];
const copied = await writePage(root, join(src, page), join(dist, page));
await bundleDeclarations();
writeFileSync(join(root, 'THIRD_PARTY_LICENSES'), licensesOf(chunks, copied));
