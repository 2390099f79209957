// `npm run new:endpoint -- collateral.closedPositions POST /api/v4/collateral-account/positions/closed-pnl`: writes the files that a new endpoint needs,
// each complete enough to compile and to pass its test, with a parameter and a field to be replaced.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endpointsFolder, groups, pascalCase, root } from './docs/groups.js';
import { writeGenerated } from './docs/write.js';

const usage =
  'npm run new:endpoint -- <group>.<method> <GET|POST> <path>, such as collateral.closedPositions POST /api/v4/collateral-account/positions/closed-pnl';

function fail(problem: string): never {
  console.error(`${problem}\nUsage: ${usage}`);
  process.exit(1);
}

const [name = '', method = '', path = ''] = process.argv.slice(2);
const [groupName = '', member = ''] = name.split('.');
const group = groups().find((one) => one.name === groupName);
if (group === undefined)
  fail(
    `Unknown group "${groupName}". Groups: ${groups()
      .map((one) => one.name)
      .join(', ')}.`,
  );
if (!/^[a-z][A-Za-z\d]*$/.test(member)) fail(`"${member}" must be a method's name, such as listAll.`);
if (method !== 'GET' && method !== 'POST') fail(`The HTTP method must be GET or POST, not "${method}".`);
if (!/^\/[\w/-]+$/.test(path)) fail(`"${path}" must be a path, such as /api/v4/orders.`);

const kebab = member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const type = pascalCase(member);
const authentication = method === 'GET' ? 'none' : 'signed';
const isPublic = group.name === 'public';
const ownLimit = '{ limit: 1000, windowMs: 10_000 }';
const respond =
  method === 'GET'
    ? `(_state, { query }) => ({ market: new URLSearchParams(query).get('market') })`
    : `({ fields }) => ({ market: fields.market() })`;
const endpointFile = `${endpointsFolder}/${group.folder}/${kebab}.ts`;
const testFile = `test/endpoints/${group.folder}/${kebab}.test.ts`;
const routesFile = `src/sandbox/http/routes/${group.folder}.ts`;

const endpoint = `import * as v from 'valibot';
import { record, text, type RecordOf } from '../../model/tolerant.js';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { marketName, type ParamsOf } from '../fields.js';
${isPublic ? `import { publicRateLimit } from './rate-limit.js';\n` : ''}
const params = {
  /** Market, such as \`BTC_USDT\`. */
  market: marketName,
};

const fields = {
  /** Market, such as \`BTC_USDT\`. */
  market: text,
};

/** Parameters of {@link ${member}}. */
export interface ${type}Params extends ParamsOf<typeof params> {}

/** The response of {@link ${member}}. Unknown fields are kept. */
export interface ${type}Response extends RecordOf<typeof fields> {}

/**
 * What it does, in one sentence.
 *
 * \`${method} ${path}\`
 *
 * @example
 * \`\`\`ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.${name}({ market: 'BTC_USDT' }).subscribe(({ market }) => console.log(market));
 * \`\`\`
 */
export const ${member}: Endpoint<${type}Params, ${type}Response> = defineEndpoint({
  name: '${name}',
  method: '${method}',
  path: '${path}',
  rateLimit: ${isPublic ? 'publicRateLimit' : ownLimit},
  authentication: '${authentication}',
  safety: 'read',
  request: v.strictObject(params),
  response: record(fields),
});
`;

const test = `import { createExchange, RequestError } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../support/failure.js';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

describe('${name}', () => {
  it('emits what the exchange responds', async () => {
    expect(await firstValueFrom(exchange.${name}({ market: 'BTC_USDT' }))).toEqual({ market: 'BTC_USDT' });
    expect(sandbox.ledger.requests.at(-1)).toMatchObject({ method: '${method}', path: '${path}' });
  });

  it.each([
    [{}, 'market'],
    [{ market: 'BTCUSDT' }, 'market'],
    [{ market: 'BTC_USDT', other: 1 }, 'other'],
  ])('is refused before it is sent: %j', async (params, field) => {
    const error = await failureOf(exchange.call({ ...endpoints.${name} }, params as { market: string }));
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ issues: [{ field }] });
  });
});
`;

/** A text with lines added before the first line that is this one. */
function insertBefore(text: string, line: string, added: string): string {
  if (!text.includes(`\n${line}\n`)) fail(`${routesFile} has no line "${line}".`);
  return text.replace(`\n${line}\n`, () => `\n${added}${line}\n`);
}

function withRoute(routes: string): string {
  const limit = isPublic ? '' : `    ${member}: ${ownLimit},\n`;
  const route = `    {
      method: '${method}',
      path: '${path}',
      rateLimit: '${isPublic ? 'public' : member}',
      authentication: '${authentication}',
      respond: ${respond},
    },
`;
  return insertBefore(insertBefore(routes, '  },', limit), '  ],', route);
}

for (const file of [endpointFile, testFile]) {
  if (existsSync(join(root, file))) fail(`${file} exists.`);
}
const files = new Map([
  [endpointFile, endpoint],
  [testFile, test],
  [routesFile, withRoute(readFileSync(join(root, routesFile), 'utf8'))],
]);
for (const [file, text] of files) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  console.log(file);
}
await writeGenerated();
