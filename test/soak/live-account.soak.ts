// An account that trades while its connection is cut every 20 s and messages are lost: nothing is missing at the end.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClientOptions } from 'exchange-rx/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, type Child } from '../support/children.js';
import { folderOfTests } from '../support/folders.js';
import type { AccountClientOptions, AccountClientReport, AccountClientView } from './account-client.js';
import type { AccountExchangeOptions, AccountExchangeReport } from './account-exchange.js';
import { report } from './report.js';
import { heapGrowth, usageRows } from './usage.js';

/** An hour by `npm run soak:account`. The start and the end take ten seconds more. */
const seconds = Number(process.env['LIVE_SOAK_SECONDS'] ?? 24);
/** A client on a busy machine takes a few seconds until its account is live again. */
const cutEveryMs = Math.min(20_000, (seconds * 1000) / 3);
/** A duplicate would come within the second read of the history. */
const secondReadMs = 4000;
let server: Child;
let opened: SandboxClientOptions;
const folder = folderOfTests();

beforeAll(async () => {
  const options: AccountExchangeOptions = { cutEveryMs };
  server = start(new URL('account-exchange.ts', import.meta.url), options);
  opened = await server.ask<SandboxClientOptions>();
});
afterAll(() => {
  server.process.kill();
});

it(
  'an account that trades over cut connections ends with what the exchange has, and within 5 MB of its memory',
  async () => {
    const file = join(folder, 'seen');
    const options: AccountClientOptions = { client: opened, seconds, file };
    const client = start(new URL('account-client.ts', import.meta.url), options);
    const reported = await client.ask<AccountClientReport>();
    const last = await server.ask<AccountExchangeReport>({ isLastCut: true });
    const keysOf = (kind: string) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
    /** A modified order may have been reported as ended before. */
    const ends = () => [...new Set([...keysOf('ended'), ...keysOf('replaced')])].toSorted();
    const wait = { timeout: 60_000, interval: 1000 };
    await expect.poll(() => keysOf('execution').toSorted(), wait).toEqual(last.executions.toSorted());
    await expect.poll(ends, wait).toEqual(last.ended.map(String).toSorted());
    await sleep(secondReadMs);
    await expect.poll(async () => (await client.ask<AccountClientView>({})).view, wait).toEqual(last.account);
    const exited = once(client.process, 'exit');
    client.process.send({ isOver: true });
    expect(await exited).toEqual([0, null]);
    const { open } = await server.ask<AccountExchangeReport>({});

    report(
      `An account, ${seconds} s with a cut every ${(cutEveryMs / 1000).toFixed(0)} s`,
      ['', ''],
      [
        ['requests that placed, modified or canceled an order', `${reported.requests}`],
        ['those that failed', `${reported.failed}`],
        ['executions', `${last.executions.length}`],
        ['orders that ended', `${last.ended.length}`],
        ['connections lost', `${reported.lost}`],
        [
          'gaps',
          Object.entries(reported.gaps)
            .map(([reason, count]) => `${reason} ${count}`)
            .join(', '),
        ],
        ...usageRows(reported),
      ],
    );
    expect(keysOf('execution').toSorted()).toEqual(last.executions.toSorted());
    expect(keysOf('ended')).toHaveLength(new Set(keysOf('ended')).size);
    expect(reported.lost).toBeGreaterThanOrEqual(2);
    expect(heapGrowth(reported)).toBeLessThan(5);
    expect(open).toBe(0);
  },
  seconds * 1000 + 240_000,
);
