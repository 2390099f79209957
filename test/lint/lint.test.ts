// The linter reports the mistakes that it is configured for, those that need types among them.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** What each program starts with. */
const declarations = `
declare const untyped: any; // oxlint-disable-line no-explicit-any
declare const text: string;
declare const maybe: string | undefined;
declare const record: { readonly id: number };
declare const side: 'buy' | 'sell';
declare function later(): Promise<void>;
declare function listen(listener: () => void): void;
export { later, listen, maybe, record, side, text, untyped };
`;

/** A mistake for each rule, on one line. */
const mistakes = {
  'await-thenable': 'await text;',
  'consistent-type-imports': "import { Rule } from './rule.js'; export type { Rule };",
  eqeqeq: "export const isBuy = text == 'buy';",
  'no-base-to-string': 'export const shown = String(record);',
  'no-confusing-void-expression': 'export const run = () => listen(() => undefined);',
  'no-explicit-any': 'export const anything = (value: any): unknown => value as unknown;',
  'no-floating-promises': 'void later();',
  'no-misused-promises': 'listen(later);',
  'no-non-null-assertion': 'export const sure = maybe!;',
  'no-restricted-imports': "export { of } from 'rxjs/internal/observable/of';",
  'no-unnecessary-condition': "export const known = text ?? 'none';",
  'no-unnecessary-type-assertion': 'export const asserted = text as string;',
  'no-unsafe-argument': 'encodeURI(untyped);',
  'no-unsafe-assignment': 'export const assigned = untyped;',
  'no-unsafe-call': 'untyped();',
  'no-unsafe-member-access': 'export const id: unknown = untyped.id;',
  'no-unsafe-return': 'export const given = (): string => untyped;',
  'no-unused-vars': 'const unused = 1;',
  'only-throw-error': "export const fail = () => { throw 'failure'; };",
  'prefer-nullish-coalescing': "export const named = maybe || 'none';",
  'prefer-promise-reject-errors': "export const rejected = () => Promise.reject('failure');",
  'require-await': 'export const number = async () => 1;',
  'restrict-plus-operands': 'export const sum = text + 1;',
  'restrict-template-expressions': 'export const line = `${[text]}`;',
  'switch-exhaustiveness-check': "switch (side) { case 'buy': break; }",
  'unbound-method': 'export const { then } = later();',
} as const;

let folder: string;
let reported: ReadonlyMap<string, string>;

interface Report {
  readonly diagnostics: readonly { readonly code?: string; readonly filename: string }[];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-lint-'));
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const compilerOptions = { target: 'ES2022', lib: ['ES2023'], module: 'NodeNext', strict: true, types: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'rule.ts'), 'export interface Rule { readonly name: string }\n');
  await writeFile(join(folder, 'clean.ts'), declarations);
  for (const [rule, mistake] of Object.entries(mistakes))
    await writeFile(join(folder, `${rule}.ts`), `${declarations}${mistake}\n`);
  const report = await new Promise<string>((ended) => {
    const options = { cwd: folder, maxBuffer: 2 ** 24 };
    // It ends with 1, because it finds mistakes.
    execFile(join(root, 'node_modules/.bin/oxlint'), ['--format=json'], options, (_error, stdout) => {
      ended(stdout);
    });
  });
  const { diagnostics } = JSON.parse(report) as Report;
  const found = new Map<string, string>();
  for (const { filename, code = '' } of diagnostics) found.set(filename, `${found.get(filename) ?? ''}${code} `);
  reported = found;
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the linter', () => {
  it.each(Object.keys(mistakes))('reports a violation of %s', (rule) => {
    expect(reported.get(`${rule}.ts`)).toContain(`(${rule})`);
  });

  it('reports nothing in a program without mistakes', () => {
    expect(reported.get('clean.ts')).toBeUndefined();
  });
});
