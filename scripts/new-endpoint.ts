// `npm run new:endpoint -- account.withdrawalFee POST /api/v4/main-account/fee`: writes the definition of a published
// endpoint, with its published limit, parameters and fields, and a response to be replaced by a recorded one. What only
// a reader of the documentation can write says TODO, which fails a test.
import { inspect } from 'node:util';
import { publishedDescription, type PublishedType } from '../test/support/published-shape.js';
import { endpointsFolder, groups, pascalCase } from './docs/groups.js';
import { placeholder } from './docs/placeholder.js';
import { writeGenerated } from './docs/write.js';
import { kebabCase, refuse, refuseExisting, runAsProgram, writeFormatted } from './new-files.js';

const usage =
  'npm run new:endpoint -- <group>.<method> <GET|POST> <path>, such as account.withdrawalFee POST /api/v4/main-account/fee';

/** Writes the files of an endpoint, and returns their names. */
export async function newEndpoint([name = '', method = '', path = '']: readonly string[]): Promise<readonly string[]> {
  const [groupName = '', member = ''] = name.split('.');
  const group = groups().find((one) => one.name === groupName);
  if (group === undefined) {
    const known = groups().map((one) => one.name);
    refuse(`Unknown group "${groupName}". Groups: ${known.join(', ')}.`);
  }
  if (!/^[a-z][A-Za-z\d]*$/.test(member)) refuse(`"${member}" must be a method's name, such as listAll.`);
  const published = publishedDescription.find((one) => one.method === method && one.path === path);
  if (published === undefined) refuse(`"${method} ${path}" is not in test/support/published-endpoints.json.`);

  const type = pascalCase(member);
  const endpointFile = `${endpointsFolder}/${group.folder}/${kebabCase(member)}.ts`;
  const recordedFile = `test/recorded/${name}.json`;
  refuseExisting([endpointFile, recordedFile]);
  for (const { method: taken, file } of group.members) if (taken === member) refuse(`${file} defines ${name}.`);

  /** What the definition imports, by module. */
  const imports = new Map<string, Set<string>>();
  function imported(what: string, module: string): string {
    imports.set(module, (imports.get(module) ?? new Set()).add(what));
    return what;
  }

  /** The limits that endpoints of a path share: see the constants. */
  const sharedLimits = [
    { paths: /^\/api\/v4\/main-account\//, limit: 1000, name: 'mainAccountRateLimit' },
    { paths: /^\/api\/v4\/(orders|trade-account\/)/, limit: 12_000, name: 'ordersRateLimit' },
  ] as const;

  /** 10000 as the sources write it: 10_000. */
  const grouped = (count: number) =>
    count < 10_000 ? `${count}` : `${count}`.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, '_');

  /** The published limit as a definition says it; nothing for the default. */
  function rateLimit(): string {
    const { requests, perSeconds } = published?.limit ?? { requests: 10_000, perSeconds: 10 };
    const own = `{ limit: ${grouped(requests)}, windowMs: ${grouped(perSeconds * 1000)} }`;
    if (path.includes('/public/')) {
      if (requests === 2000) return `rateLimit: ${imported('publicRateLimits', '../rate-limits.js')},`;
      return `rateLimit: ${imported('tighterRateLimits', '../rate-limits.js')}(${grouped(requests)}),`;
    }
    const shared = sharedLimits.find(({ paths }) => paths.test(path));
    const isShared = shared?.limit === requests && perSeconds === 10;
    if (shared !== undefined) {
      const constant = imported(shared.name, '../rate-limits.js');
      return isShared ? `rateLimit: ${constant},` : `rateLimit: [${own}, ${constant}],`;
    }
    return requests === 10_000 && perSeconds === 10 && method === 'POST' ? '' : `rateLimit: ${own},`;
  }

  /** The schema of a parameter. */
  function parameter(field: string, { type: kind, enum: values, minimum, maximum }: PublishedType): string {
    const own = (schema: string) => imported(schema, '../fields.js');
    if (values !== undefined) return `${own('oneOf')}([${values.map((value) => JSON.stringify(value)).join(', ')}])`;
    if (field === 'market') return own('marketName');
    if (field === 'ticker' || field === 'asset') return own('assetTicker');
    if (/^(amount|price)$/.test(field)) return own('positiveDecimal');
    if (/(Date|Time)$/.test(field)) return own('unixSeconds');
    if (kind === 'integer')
      return `${imported('boundedInteger', '../fields.js')}(${minimum ?? 0}, ${maximum ?? 'Number.MAX_SAFE_INTEGER'})`;
    if (kind === 'boolean') return own('flag');
    if (kind === 'array') return `v.array(v.unknown())`;
    return kind === 'object' ? 'v.looseObject({})' : own('text');
  }

  /** The schema of a field of the response. */
  function field({ type: kind }: PublishedType, isRequired: boolean): string {
    const names: Readonly<Record<string, readonly [required: string, optional: string]>> = {
      string: ['text', 'optionalText'],
      integer: ['number', 'optionalNumber'],
      number: ['number', 'optionalNumber'],
      boolean: ['optionalFlag', 'optionalFlag'],
    };
    const known = names[kind ?? ''];
    if (known !== undefined) return `t.${known[isRequired ? 0 : 1]}`;
    return 't.optional(v.unknown())';
  }

  const entry = (key: string, schema: string, given?: unknown) => {
    const meaning = `${placeholder} meaning, unit, range.`;
    const docstring =
      given === undefined ? `/** ${meaning} */` : `/**\n * ${meaning}\n *\n * @default ${JSON.stringify(given)}\n */`;
    return `${docstring}\n${JSON.stringify(key)}: ${schema},`;
  };

  const fieldsOf = ({ fields = {}, required = [] }: PublishedType) =>
    Object.entries(fields).map(([key, value]) => ({ key, value, isRequired: required.includes(key) }));
  const given = [
    ...published.params.map((param) => ({
      key: param.name,
      value: param as PublishedType,
      isRequired: param.required === true,
    })),
    ...fieldsOf(published.body ?? {}),
  ];
  const params = given.map(({ key, value, isRequired }) => {
    const schema = parameter(key, value);
    return entry(key, isRequired ? schema : `v.exactOptional(${schema})`, isRequired ? undefined : value.default);
  });

  const isList = published.response?.type === 'array';
  const shape = (isList ? published.response.items : published.response) ?? {};
  const fields = fieldsOf(shape).map(({ key, value, isRequired }) => entry(key, field(value, isRequired)));
  const hasFields = fields.length > 0;
  const record = hasFields ? 't.record(fields)' : 'v.unknown()';
  const response = isList ? `t.listOf(${record})` : record;
  const output = hasFields ? `${type}${isList ? 'Item[]' : 'Response'}` : isList ? 'unknown[]' : 'unknown';
  const hasParams = params.length > 0;
  if (hasParams) imported('type ParamsOf', '../fields.js');

  /** An example of a published value. */
  function sample({ type: kind, enum: values, fields: inner, items, oneOf }: PublishedType): unknown {
    if (values?.[0] !== undefined) return values[0];
    if (oneOf?.[0] !== undefined) return sample(oneOf[0]);
    if (kind === 'array') return items === undefined ? [] : [sample(items)];
    if (inner !== undefined)
      return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, sample(value)]));
    return kind === 'object' ? {} : kind === 'boolean' ? false : kind === 'integer' || kind === 'number' ? 1 : '1';
  }

  /** Parameters as a caller gives them. */
  const sampleParams = Object.fromEntries(
    given
      .filter(({ isRequired }) => isRequired)
      .map(({ key, value }) => {
        const known: Readonly<Record<string, unknown>> = { market: 'BTC_USDT', ticker: 'BTC', asset: 'BTC' };
        return [key, known[key] ?? sample(value)];
      }),
  );
  const limitLine = rateLimit();
  const argument = inspect(sampleParams, { breakLength: Infinity, depth: null }).replace('{}', '');

  const definition = `
${
  hasParams
    ? `const params = {
${params.join('\n')}
};

/** Parameters of {@link ${member}}. */
export interface ${type}Params extends ParamsOf<typeof params> {}
`
    : ''
}
${
  hasFields
    ? `const fields = {
${fields.join('\n')}
};

/** ${placeholder} what it is. Unknown fields are kept. */
export interface ${output.replace('[]', '')} extends t.RecordOf<typeof fields> {}
`
    : ''
}
/**
 * ${placeholder} what it does, in one sentence.
 *
 * @example
 * \`\`\`ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const ${member}$ = (exchange: Exchange) => exchange.${name}(${argument});
 * \`\`\`
 */
export const ${member}: Endpoint<${hasParams ? `${type}Params` : 'NoParams'}, ${output}> = defineEndpoint({
  name: '${name}',${method === 'POST' ? '' : `\n  method: '${method}',`}
  path: '${path}',${limitLine === '' ? '' : `\n  ${limitLine}`}
  // ${placeholder} \`read\`, \`idempotent\` or \`once\`: see Safety. Of them, \`once\` does no harm.
  safety: 'once',${hasParams ? '\n  request: v.strictObject(params),' : ''}
  response: ${response},
});
`;

  const modules = [...imports].sort(([one], [other]) => (one < other ? -1 : 1));
  const head = [
    ...(/\bv\./.test(definition) ? [`import * as v from 'valibot';`] : []),
    `import { defineEndpoint, type Endpoint${hasParams ? '' : ', type NoParams'} } from '../../endpoint/index.js';`,
    ...(/\bt\./.test(definition) ? [`import * as t from '../../model/tolerant.js';`] : []),
    ...modules.map(([module, names]) => {
      const ownFolder = module.replace(`../${group.folder}/`, './');
      return `import { ${[...names].sort().join(', ')} } from '${ownFolder}';`;
    }),
  ];
  const recorded = {
    note: `${placeholder} a recorded response.`,
    params: sampleParams,
    response: sample(published.response ?? {}),
  };
  const files = await writeFormatted(
    new Map([
      [endpointFile, `${head.join('\n')}\n${definition}`],
      [recordedFile, JSON.stringify(recorded, null, 2)],
    ]),
  );
  await writeGenerated();
  return files;
}

await runAsProgram(import.meta.filename, newEndpoint, usage);
