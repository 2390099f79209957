// Import is cheap: unused parts are not loaded, and a program that uses one endpoint ships one endpoint.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundled, bundledByRolldown } from '../support/bundle.js';
import { entryPoints } from '../support/packed.js';

const root = resolve(import.meta.dirname, '../..');
const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

const pingPath = '/api/v4/public/ping';
const leveragePath = '/api/v4/collateral-account/leverage';

function fileOf(entryPoint: string): string {
  return join(root, exports[entryPoint.replace('exchange-rx', '.')]?.default ?? entryPoint);
}

describe('the package', () => {
  it('loads no Redis client, no sandbox and nothing of the command', async () => {
    const { files } = await bundled("export * from 'exchange-rx';");
    expect(files).toContain('dist/index.js');
    expect(files.filter((file) => /^dist\/(shared\/)?(sandbox|cli)|ioredis/.test(file))).toEqual([]);
  });

  it('ships a group of endpoints alone, as data, and no client, to a program that brings its own', async () => {
    const { text, shipped } = await bundled("export { public as group } from 'exchange-rx/endpoints';");
    expect([text.includes(pingPath), text.includes(leveragePath)]).toEqual([true, false]);
    const packages = shipped.flatMap((file) => /node_modules\/(?<name>[^/]+)/.exec(file)?.groups?.['name'] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['bignumber.js', 'valibot']);
  });

  it('ships one endpoint to a program that Rolldown, Vite or Rollup bundles', async () => {
    const text = await bundledByRolldown(
      "import * as endpoints from 'exchange-rx/endpoints'; export const { name } = endpoints.public.ping;",
    );
    expect([text.includes(pingPath), text.includes('/api/v4/public/markets')]).toEqual([true, false]);
    expect(text.length).toBeLessThan(5000);
  });

  it('ships the Redis client to a program that imports it', async () => {
    const { files } = await bundled("export { shareOverRedis } from 'exchange-rx/redis';");
    expect(files.some((file) => file.includes('node_modules/ioredis/'))).toBe(true);
  });

  it('has every class and every value once, whichever entry point it is imported from', async () => {
    const modules = await Promise.all(
      entryPoints.map((name) => import(pathToFileURL(fileOf(name)).href) as Promise<Record<string, unknown>>),
    );
    const [whole, ...others] = modules;
    const twice = others.flatMap((other) =>
      Object.keys(other).filter((name) => whole !== undefined && name in whole && whole[name] !== other[name]),
    );
    expect(twice).toEqual([]);
    // An error is named after its class, which a bundler may rename.
    const renamed = modules.flatMap((module) =>
      Object.entries(module).filter(([name, value]) => typeof value === 'function' && value.name !== name),
    );
    expect(renamed).toEqual([]);
  });

  it.each(entryPoints)('makes a bundler warn of nothing in %s', async (entryPoint) => {
    expect((await bundled(`export * from '${entryPoint}';`)).warnings).toEqual([]);
  });

  it.each(entryPoints)('leaves nothing of %s in a program that uses nothing of it', async (entryPoint) => {
    expect(await bundled(`import '${entryPoint}';`)).toMatchObject({ text: '' });
    expect(await bundled(`import * as unused from '${entryPoint}';`)).toMatchObject({ text: '' });
  });

  it('does nothing when it is imported: no timer, no listener, no output, nothing changed that others see', () => {
    const modules = entryPoints.map(fileOf);
    const packages = Object.keys({ ...dependencies, ...peerDependencies });
    const program = `
      const builtIns = Object.values(Object.getOwnPropertyDescriptors(globalThis)).map(({ value }) => value).filter((value) => typeof value === 'function' || (typeof value === 'object' && value !== null));
      const shapeOf = (value) => Reflect.ownKeys(value).map(String).join();
      const seen = () => [
        process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap').join(),
        process.eventNames().map((name) => String(name) + process.listenerCount(name)).join(),
        JSON.stringify(process.env),
        shapeOf(globalThis),
        ...builtIns.flatMap((value) => [shapeOf(value), typeof value === 'function' && value.prototype ? shapeOf(value.prototype) : '']),
      ];
      for (const name of ${JSON.stringify(packages)}) await import(name);
      const before = seen();
      for (const file of ${JSON.stringify(modules)}) await import(file);
      const after = seen();
      console.log(JSON.stringify(after.filter((value, index) => value !== before[index])));
    `;
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' }),
    ).toBe('[]\n');
  });
});
