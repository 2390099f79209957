// `npm run new:channel -- fundingRate fundingRate`: writes a channel whose values replace each other, its line in the
// registry, and a message to be replaced by a recorded one. What only a reader of the documentation can write says TODO,
// which fails a test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pascalCase, root } from './docs/groups.js';
import { placeholder } from './docs/placeholder.js';
import { kebabCase, refuse, refuseExisting, runAsProgram, writeFormatted } from './new-files.js';

const usage = 'npm run new:channel -- <name> [<prefix of its methods>], such as lastPrice lastprice';

/** Writes the files of a channel, and returns their names. */
export async function newChannel([name = '', method = name]: readonly string[]): Promise<readonly string[]> {
  if (!/^[a-z][A-Za-z\d]*$/.test(name)) refuse(`"${name}" must be a member of exchange.live, such as lastPrice.`);
  if (!/^\w+$/.test(method))
    refuse(`"${method}" must be the prefix of methods, such as lastprice of lastprice_update.`);

  const channelsFolder = 'src/live/channels';
  const channelFile = `${channelsFolder}/${kebabCase(name)}.ts`;
  const recordedFile = `test/recorded/live/${name}.json`;
  refuseExisting([channelFile, recordedFile]);

  const type = pascalCase(name);
  const definition = `// Channel \`${method}\`: ${placeholder} what it pushes, and how often.
import type * as v from 'valibot';
import { decimalText, record, type RecordOf } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { marketReader, readBy } from './read.js';

const fields = {
  /** ${placeholder} meaning, unit. */
  value: decimalText,
};

/** ${placeholder} what it is. Unknown fields are kept. */
export interface ${type} extends RecordOf<typeof fields> {}

const schema: v.GenericSchema<unknown, ${type}> = record(fields);

/**
 * ${placeholder} what it emits, and when.
 *
 * @see docs/live.md#channels
 */
export const ${name}: Channel<${type}> = {
  name: '${name}',
  method: '${method}',
  // ${placeholder} \`silenceMs\`, where the exchange pushes regularly.
  read: marketReader((value) => readBy(schema, value)),
};
`;

  const market = 'BTC_USDT';
  const recorded = {
    note: `${placeholder} a recorded message.`,
    stream: name,
    params: { markets: [market] },
    request: { method: `${method}_subscribe`, params: [market] },
    push: { method: `${method}_update`, params: [market, { value: '1' }] },
    required: ['0', '1', '1.value'],
    emits: [{ value: '1', market, status: 'live' }],
  };

  const files = await writeFormatted(
    new Map([
      [channelFile, definition],
      [recordedFile, JSON.stringify(recorded, null, 2)],
    ]),
  );
  const registry = join(root, channelsFolder, 'index.ts');
  const [comment = '', ...lines] = readFileSync(registry, 'utf8').trim().split('\n');
  const line = `export * from './${kebabCase(name)}.js';`;
  writeFileSync(registry, `${[comment, ...[...lines, line].sort()].join('\n')}\n`);
  return files;
}

await runAsProgram(import.meta.filename, newChannel, usage);
