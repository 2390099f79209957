// Import is cheap: what is not asked for is not loaded, and a program that uses one endpoint ships one endpoint.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundled } from '../support/bundle.js';
import { entryPoints } from '../support/packed.js';

const root = resolve(import.meta.dirname, '../..');
const { sideEffects, dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as {
  sideEffects: string[];
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

const collateralPath = '/api/v4/order/collateral/limit';

describe('the package', () => {
  it('loads no Redis client, no sandbox and nothing of the command', async () => {
    const { files } = await bundled("export * from 'exchange-rx';");
    expect(files).toContain('dist/index.js');
    expect(files.filter((file) => /dist\/(sandbox|cli)\/|ioredis|hono|commander|cli-table3|uplot/.test(file))).toEqual(
      [],
    );
  });

  it('ships one endpoint to a program that uses one', async () => {
    const [one, all] = await Promise.all([
      bundled("export { createClient, ping } from 'exchange-rx';"),
      bundled("export * from 'exchange-rx';"),
    ]);
    expect([one.text.includes('/api/v4/public/ping'), one.text.includes(collateralPath)]).toEqual([true, false]);
    expect(all.text).toContain(collateralPath);
    expect(one.text.length).toBeLessThan(all.text.length);
  });

  it('ships an endpoint alone, as data, and no client, to a program that brings its own', async () => {
    const { text, shipped } = await bundled("export { ping } from 'exchange-rx/endpoints';");
    expect([text.includes('/api/v4/public/ping'), text.includes(collateralPath)]).toEqual([true, false]);
    expect(shipped.filter((file) => file.startsWith('dist/')).sort()).toEqual([
      'dist/endpoints/public/ping.js',
      'dist/scheduler/limit-groups.js',
    ]);
    expect(shipped.filter((file) => file.includes('node_modules') && !file.includes('valibot'))).toEqual([]);
  });

  it('ships the Redis client to a program that asks for it', async () => {
    const { files } = await bundled("export { shareOverRedis } from 'exchange-rx/redis';");
    expect(files.some((file) => file.includes('node_modules/ioredis/'))).toBe(true);
  });

  it.each(entryPoints)('leaves nothing of %s in a program that uses nothing of it', async (entryPoint) => {
    expect(await bundled(`import '${entryPoint}';`)).toMatchObject({ text: '' });
    expect(await bundled(`import * as unused from '${entryPoint}';`)).toMatchObject({ text: '' });
  });

  it('does nothing when it is imported: no timer, no listener, no output, nothing changed that others see', () => {
    const acting = new Set(sideEffects.map((file) => join(root, file)));
    const modules = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js') && !file.startsWith('cli/dashboard/page/'))
      .map((file) => join(root, 'dist', file))
      .filter((file) => !acting.has(file));
    expect(modules.length).toBeGreaterThan(100);
    const packages = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== 'uplot');
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
  }, 60_000);
});
