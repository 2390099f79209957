// The types of the package as a user gets them: packed, installed in an empty folder, and compiled with there.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPoints, packAndInstall } from '../support/packed.js';

const run = promisify(execFile);
let folder: string;

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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
  for (const [resolution, options] of Object.entries(resolutions)) {
    await writeFile(
      join(folder, `tsconfig.${resolution}.json`),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, ...options, outDir: `built-${resolution}` },
        include: ['*.ts'],
      }),
    );
  }
  await writeFile(join(folder, 'vitest.d.ts'), vitestTypes);
  await writeFile(join(folder, 'types.ts'), await readFile(resolve(import.meta.dirname, '../types.test.ts')));
  await writeFile(join(folder, 'library.ts'), library);
  await packAndInstall(folder, [
    'rxjs@7',
    'typescript@7',
    'typescript-6@npm:typescript@6',
    '@types/node@20',
    'expect-type@1',
  ]);
}, 240_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the packed package', () => {
  it('has types for every entry point, which strict programs and libraries compile with TypeScript 7 for bundlers and with TypeScript 6 for Node; its own declarations are checked, too', async () => {
    const types = await readFile(join(folder, 'types.ts'), 'utf8');
    expect(entryPoints.filter((entryPoint) => !types.includes(`from '${entryPoint}';`))).toEqual([]);
    // `npm install typescript` gives version 7.
    const compile = async (compiler: string, resolution: string) => {
      const tsc = run(process.execPath, [`node_modules/${compiler}/bin/tsc`, '-p', `tsconfig.${resolution}.json`], {
        cwd: folder,
      });
      const { stdout } = await tsc.catch((error: unknown) => error as { stdout: string });
      return `${compiler}, ${resolution}: ${stdout}`;
    };
    const compiled = await Promise.all([compile('typescript', 'bundler'), compile('typescript-6', 'node')]);
    expect(compiled).toEqual(['typescript, bundler: ', 'typescript-6, node: ']);
  }, 120_000);
});
