// docs/evidence/conformance.md: each row of the interface description, and the contract test that shows it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from './groups.js';

const run = promisify(execFile);
const titled = /\[(?<id>(?<part>[\w-]+)\.[\w.-]+)\] (?<words>.+)$/;

/** The parts of the description, by the first word of their rows. */
const parts: Readonly<Record<string, string>> = {
  service: 'The interface',
  version: 'Versioning',
  auth: 'Authentication',
  order: 'Orders',
  status: 'Order status',
  stop: 'Stop orders and OTO orders',
  stp: 'Self-trade prevention',
  'stock-market': '`POST /api/v4/order/stock_market`',
  'market-order': '`POST /api/v4/order/market`',
  limit: '`POST /api/v4/order/collateral/limit`',
  leverage: '`POST /api/v4/collateral-account/leverage`',
  'sub-account': '`POST /api/v4/sub-account/list`',
  mining: '`POST /api/v4/mining/accounts`',
  balance: '`POST /api/v4/main-account/balance`',
  orders: 'Open orders, order history, cancel',
  ping: '`GET /api/v4/public/ping`',
  time: '`GET /api/v4/public/time`',
  market: '`GET /api/v4/public/markets`',
  oauth: '`POST /oauth2/refresh_token`',
  error: 'Errors',
  limits: 'Limits',
};

interface ListedTest {
  readonly name: string;
  readonly file: string;
}

/** The page, by its file. Its rows are the titles of the tests that begin with `[part.row]`. */
export async function conformancePage(): Promise<Map<string, string>> {
  const { stdout } = await run(
    'npx',
    ['vitest', 'list', '--json', '--config', 'test/vitest.config.ts', 'test/contract'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const tests = JSON.parse(stdout.slice(stdout.indexOf('['))) as ListedTest[];
  const rows = new Map<string, { readonly part: string; readonly file: string; readonly line: string }>();
  for (const { name, file } of tests.sort((one, other) => (one.file < other.file ? -1 : 1))) {
    const { id, part, words } = titled.exec(name)?.groups ?? {};
    if (id === undefined || part === undefined || words === undefined) continue;
    rows.set(`${id} ${words}`, { part, file: file.slice(file.indexOf('test/contract')), line: `- ${id}: ${words}` });
  }
  const unknown = [...rows.values()].map(({ part }) => part).filter((part) => !(part in parts));
  const sections = [...Object.keys(parts), ...new Set(unknown)].map((part) => {
    const own = [...rows.values()].filter((row) => row.part === part);
    const files = [...new Set(own.map(({ file }) => `\`${file}\``))].join(', ');
    return `## ${parts[part] ?? part}\n\n${files}\n\n${own.map(({ line }) => line).join('\n')}`;
  });
  const text = [
    '<!-- Written by npm run docs. -->\n# Conformance',
    `Every row of the exchange's interface description, in our words, with the test that shows it. The tests run the SDK against the sandbox. Requests that the SDK itself rejects are signed by hand; their rejections are in test/endpoints/bad-requests.test.ts; published responses are read in test/contract/published-responses.test.ts.`,
    ...sections,
    '',
  ];
  return new Map([['docs/evidence/conformance.md', text.join('\n\n').replace(/\n+$/, '\n')]]);
}
