// One request and response of each endpoint, in test/recorded: published, recorded on the live exchange, or on the
// sandbox.
import type { Endpoint } from 'exchange-rx';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../recorded');

export interface Recorded {
  readonly params: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

export const recordedNames: readonly string[] = readdirSync(folder).flatMap((file) =>
  file.endsWith('.json') ? [file.replace('.json', '')] : [],
);

export function recordedOf({ name }: Pick<Endpoint, 'name'>): Recorded {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) throw new Error(`test/recorded/${name}.json is missing: { "params": …, "response": … }`);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}
