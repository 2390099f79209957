// The memory of all responses of a client, measured at the process. The exact maximum is tested in
// test/http/response-memory.heavy.test.ts.
import { createExchange } from 'exchange-rx';
import { public as publicEndpoints } from 'exchange-rx/endpoints';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastValueFrom, map, mergeMap, range, toArray } from 'rxjs';
import { expect, it } from 'vitest';
import { portOf } from '../../support/raw-server.js';
import { recordedOf } from '../../support/recorded.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('held.ts', import.meta.url));
const mebibyte = 2 ** 20;

it('256 endless responses of 8 MiB take 256 MiB of buffers, and what the sockets hold', async () => {
  const body = Buffer.alloc(8 * mebibyte - 1, ' ');
  const port = await portOf(
    createServer((_request, response) => response.writeHead(200, { 'content-length': 8 * mebibyte }).write(body)),
  );
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program, `http://127.0.0.1:${port}`]);
  // Without the maximum it is more than 2 GiB.
  expect(Number(stdout)).toBeLessThan(600 * mebibyte);
});

it('256 lists of all markets are read at once', async () => {
  const [listed] = recordedOf(publicEndpoints.markets).response as readonly [object];
  const market = (index: number) => ({
    ...{ ...listed, name: `A${index}_USDT`, stock: `A${index}` },
    ...{ minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01', stepSize: '0.000001' },
  });
  const body = JSON.stringify(Array.from({ length: 1400 }, (_, index) => market(index)));
  expect(body.length).toBeGreaterThan(400_000);
  const port = await portOf(createServer((_request, response) => response.end(body)));
  const exchange = createExchange({ baseUrl: `http://127.0.0.1:${port}`, retry: false, timeoutMs: 120_000 });
  const counts = await lastValueFrom(
    range(256).pipe(
      mergeMap(() => exchange.public.markets()),
      map(({ length }) => length),
      toArray(),
    ),
  );
  expect(counts).toEqual(Array.from({ length: 256 }, () => 1400));
});
