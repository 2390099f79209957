// Import is cheap: what is not asked for is not loaded, and a program that uses one endpoint ships one endpoint.
import { describe, expect, it } from 'vitest';
import { bundled } from '../support/bundle.js';

const collateralPath = '/api/v4/order/collateral/limit';

describe('the package', () => {
  it('loads no Redis client, no sandbox and nothing of the command', async () => {
    const { files } = await bundled("export * from 'exchange-rx';");
    expect(files).toContain('dist/index.js');
    expect(files.filter((file) => /dist\/(sandbox|cli)\/|ioredis|hono|commander|cli-table3|uplot/.test(file))).toEqual([]);
  });

  it('ships one endpoint to a program that uses one', async () => {
    const [one, all] = await Promise.all([bundled("export { createSession, ping } from 'exchange-rx';"), bundled("export * from 'exchange-rx';")]);
    expect([one.text.includes('/api/v4/public/ping'), one.text.includes(collateralPath)]).toEqual([true, false]);
    expect(all.text).toContain(collateralPath);
    expect(one.text.length).toBeLessThan(all.text.length);
  });
});
