// What is published: the tarball's files, its entry points as publint sees them, its source maps, and its types as a
// user's compiler reads them.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { beforeAll, describe, expect, it } from 'vitest';
import { entryPoints, pack, type Packed } from '../support/packed.js';
import { folderOfTests } from '../support/folders.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Kinds of files, by where they may be. */
const allowed = [
  /^(package\.json|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|llms\.txt|LICENSE|THIRD_PARTY_LICENSES)$/,
  /^docs\/((reference|evidence)\/)?[\w-]+\.md$/,
  /^docs\/examples\/[\w-]+\.ts$/,
  /^docs\/operations\/(alerts\.yml|grafana\.json)$/,
  /^dist\/[\w/-]+\.(js|d\.ts)$/,
  /^dist\/(?!cli\/|shared\/cli-)[\w/-]+\.js\.map$/,
  /^dist\/cli\/dashboard\/page\/(index\.html|style\.css|inter\.woff2)$/,
];
/** Bytes, about 40 % of which are source maps. */
const maxPacked = 1_700_000;
const maxUnpacked = 6_800_000;

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  declaration: true,
};

const resolutions = { node: { module: 'NodeNext' }, bundler: { module: 'ESNext', moduleResolution: 'Bundler' } };

/** The tests of types run on these, and are compiled only: what they need of vitest is expect-type. */
const vitestTypes = `
declare module 'vitest' {
  export { expectTypeOf } from 'expect-type';
  export function describe(title: string, tests: () => void): void;
  export function it(title: string, test: () => void): void;
}
`;

/** A user's own library: its inferred types name the package's types, which its declarations must be able to import. */
const library = `
import { createExchange, followOrder, toAsyncIterable, unreadableIn, watchBalance } from 'exchange-rx';
import type { Exchange } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
export const cancel = endpoints.orders.cancel;
export const placeLimitOrder = endpoints.collateral.placeLimitOrder;
export const buy = (exchange: Exchange) => exchange.spot.placeMarketOrder;
export const accounts = (exchange: Exchange) => exchange.subAccounts.list({});
export const history = (exchange: Exchange) => exchange.orders.history({});
export const leverage = (exchange: Exchange) => exchange.collateral.setLeverage;
export const { orders, spot, live, events$, scheduler } = createExchange({ baseUrl: 'https://exchange.example' });
export const { my, state$ } = live;
export const book$ = live.orderBook({ market: 'BTC_USDT' });
export const trade$ = live.trades({ markets: ['BTC_USDT'] });
export const account$ = [my.balances(), my.orders({ markets: ['BTC_USDT'] }), my.executions(), my.positionEvents()] as const;
export const balance$ = (exchange: Exchange) => watchBalance(exchange, { wallet: 'all' });
export const ends = (exchange: Exchange) => followOrder(exchange);
export const values = toAsyncIterable(trade$);
export const unreadable = unreadableIn([]);
`;

const folder = folderOfTests();
let packed: Packed;
let paths: ReadonlySet<string>;

beforeAll(async () => {
  packed = await pack(folder);
  paths = new Set(packed.files.map(({ path }) => path));
  const installed = join(folder, 'node_modules/exchange-rx');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', packed.tarball, '--strip-components=1', '-C', installed]);
});

const read = (path: string) => readFile(join(folder, 'node_modules/exchange-rx', path), 'utf8');
/** The texts of the files whose names end so. */
const filesOf = (ending: string) => Promise.all([...paths].filter((path) => path.endsWith(ending)).map(read));

type Manifest = Readonly<Record<'dependencies' | 'exports', object>>;
const manifest = async () => JSON.parse(await read('package.json')) as Manifest;

describe('the tarball', () => {
  it('holds what belongs, and nothing else', () => {
    expect([...paths].filter((path) => !allowed.some((kind) => kind.test(path)))).toEqual([]);
    expect([...paths].filter((path) => !path.includes('/')).sort()).toEqual([
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'THIRD_PARTY_LICENSES'],
      ...['llms.txt', 'package.json'],
    ]);
  });

  it('is small', () => {
    expect(packed.size).toBeLessThan(maxPacked);
    expect(packed.files.reduce((bytes, { size }) => bytes + size, 0)).toBeLessThan(maxUnpacked);
  });

  it('has the entry points that are listed, and no others', async () => {
    const names = Object.keys((await manifest()).exports).map((path) => path.replace('.', 'exchange-rx'));
    expect(names.sort()).toEqual([...entryPoints, 'exchange-rx/package.json'].sort());
  });

  it('has nothing that publint complains of', async () => {
    const tarball = await readFile(packed.tarball);
    const { messages } = await publint({
      pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('has types for every entry point, which strict programs and libraries compile with TypeScript 7 for bundlers and with TypeScript 6 for Node; its own declarations are checked, too', async () => {
    const types = await readFile(join(root, 'test/types.test.ts'), 'utf8');
    expect(entryPoints.filter((entryPoint) => !types.includes(`from '${entryPoint}';`))).toEqual([]);
    const { dependencies } = await manifest();
    const others = ['rxjs', '@opentelemetry/api', '@types/node', 'expect-type'];
    for (const name of [...Object.keys(dependencies), ...others]) {
      await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    await writeFile(join(folder, 'vitest.d.ts'), vitestTypes);
    await copyFile(join(root, 'test/types.test.ts'), join(folder, 'types.ts'));
    await writeFile(join(folder, 'library.ts'), library);
    const compile = async (compiler: string, resolution: keyof typeof resolutions) => {
      const config = `tsconfig.${resolution}.json`;
      const options = { ...compilerOptions, ...resolutions[resolution], outDir: `built-${resolution}` };
      await writeFile(join(folder, config), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
      const tsc = run(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), '-p', config], {
        cwd: folder,
      });
      const { stdout } = await tsc.catch((error: unknown) => error as { stdout: string });
      return `${compiler}, ${resolution}: ${stdout}`;
    };
    const compiled = await Promise.all([compile('typescript-7', 'bundler'), compile('typescript', 'node')]);
    expect(compiled).toEqual(['typescript-7, bundler: ', 'typescript, node: ']);
  }, 300_000);

  it('has every file that its documents link and its declarations name, except pictures', async () => {
    const missing: string[] = [];
    let links = 0;
    for (const path of [...paths].filter((path) => /\.(md|txt|d\.ts)$/.test(path))) {
      const text = await read(path);
      const targets = path.endsWith('.md')
        ? [...text.matchAll(/(?<!!\[[^\]]*)\]\((?<target>[\w./-]+)[)#]/g)].map(({ groups }) =>
            posix.join(posix.dirname(path), groups?.['target'] ?? ''),
          )
        : [...text.matchAll(/\bdocs\/[\w./-]+\.md/g)].map(([target]) => target);
      links += targets.length;
      missing.push(
        ...targets
          .filter((target) => ![...paths].some((file) => `${file}/`.startsWith(`${target}/`)))
          .map((target) => `${path}: ${target}`),
      );
    }
    expect(links).toBeGreaterThan(200);
    expect(missing).toEqual([]);
  });

  it('has a source map for every script except those of the command, with its sources in it', async () => {
    const scripts = [...paths].filter((path) => path.endsWith('.js') && paths.has(`${path}.map`));
    expect(scripts).toEqual(expect.arrayContaining(['dist/index.js', expect.stringMatching(/^dist\/shared\/live-/)]));
    const wrong: string[] = [];
    for (const path of scripts) {
      const text = await read(path);
      // A bundler writes the path of a module above its code: without one there are imports and exports only.
      if (!/^\/\/ src\//m.test(text)) continue;
      const { sources, sourcesContent } = JSON.parse(await read(`${path}.map`)) as {
        sources: string[];
        sourcesContent: (string | null)[];
      };
      for (const [index, source] of sources.entries()) {
        const file = posix.join(posix.dirname(path), source);
        const original = file.startsWith('src/') ? await readFile(join(root, file), 'utf8') : undefined;
        if (original === undefined || sourcesContent[index] !== original) wrong.push(`${path}: ${source}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('declares parameters and outputs as plain interfaces, without the schemas that they are made of', async () => {
    // An endpoint has the schemas of its request and its response, of any type.
    const texts = (await filesOf('.d.ts')).map((text) => text.replaceAll('GenericSchema<', ''));
    expect(texts.flatMap((text) => text.match(/\b(?:\w+Schema<|\w+Action<|ParamsOf<|RecordOf<).*/g) ?? [])).toEqual([]);
  });

  it('has the license text of every package that is in its scripts', async () => {
    const licenses = await read('THIRD_PARTY_LICENSES');
    const names = [...licenses.matchAll(/^-{80}\n\n(\S+) \d/gm)].map(([, name = '']) => name);
    const module = /^\/\/.*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;
    const inScripts = new Set(
      (await filesOf('.js')).flatMap((text) => [...text.matchAll(module)].map(([, name = '']) => name)),
    );
    expect([...inScripts].filter((name) => !names.includes(name))).toEqual([]);
    expect(inScripts.size).toBeGreaterThan(5);
    expect(names).toEqual(expect.arrayContaining(['commander', 'uplot']));
  });
});
