// The API reference: pages of Markdown, made of the docstrings of everything that the package exports.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Application, Logger, LogLevel } from 'typedoc';

const root = resolve(import.meta.dirname, '../..');

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The sources of what can be imported, as package.json says. */
export function entryPoints(): string[] {
  const { exports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Manifest;
  return Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
    .map((types) => resolve(root, types.replace('./dist/', 'src/').replace('.d.ts', '.ts')));
}

/**
 * What the reference shows by other means: lists of values, whose types say them in words, and the groups that a client
 * binds.
 */
const intentionallyNotExported = [
  'src/model/leverage.ts:leverages',
  ...[
    'orderSides',
    'orderTypes',
    'openStatuses',
    'filledStatuses',
    'canceledStatuses',
    'positionSides',
    'stpModes',
  ].map((list) => `src/model/order.ts:${list}`),
  'src/sandbox/http/routes/index.ts:defaultLimits',
  ...['account', 'collateral', 'oauth', 'spot'].map((group) => `src/endpoints/${group}/index.ts:${group}`),
  ...['mining', 'sub-accounts'].map((group) => `src/endpoints/${group}/index.ts:__module`),
  'src/endpoints/public/index.ts:publicEndpoints',
];

/** Makes the reference in this folder; resolves to what is wrong with the docstrings. */
export async function makeReference(folder: string): Promise<readonly string[]> {
  const app = await Application.bootstrapWithPlugins({
    out: folder,
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entryPoints(),
    tsconfig: resolve(root, 'tsconfig.json'),
    basePath: root,
    readme: 'none',
    logLevel: 'Warn',
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    validation: {
      notExported: true,
      invalidLink: true,
      rewrittenLink: true,
      notDocumented: true,
      unusedMergeModuleWith: true,
    },
    intentionallyNotExported,
  });
  const warnings = new Warnings();
  app.logger = warnings;
  const project = await app.convert();
  if (project !== undefined) {
    for (const module of project.children ?? []) module.name = module.name.replace(/^src/, 'exchange-rx');
    app.validate(project);
    await app.generateOutputs(project);
  }
  return warnings.found;
}

class Warnings extends Logger {
  readonly found: string[] = [];

  override log(message: string, level: LogLevel): void {
    if (level >= LogLevel.Warn) this.found.push(message);
    // valibot's types declare a field in two parts of one type: its comment is found twice, at one place.
    else if (isOnePlace(message)) this.found.pop();
  }
}

/** Whether this says where the comments of the last warning are, and all are one. */
function isOnePlace(message: string): boolean {
  const [what, ...places] = message.split('\n\t');
  return what?.startsWith('The comments for ') === true && new Set(places).size === 1;
}
