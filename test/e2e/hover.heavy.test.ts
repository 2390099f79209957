// An editor shows the docstring and a readable type of every group, function and parameter of the package as it is
// built.
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { allEndpoints, members } from '../support/endpoints.js';
import { parameterNames } from '../../src/endpoint/index.js';
import { root } from '../support/documents.js';

const groups = [...new Set(members.map(({ group }) => group))];
const paths = members.map(({ group, method }) => `${group}.${method}`);
const withParameters = allEndpoints.filter((endpoint) => parameterNames(endpoint).length > 0);

/** Streams, each with the type of what it emits. */
const streams = [
  ['watchBalance(exchange)', 'BalanceUpdate'],
  ["watchBalance(exchange, { wallet: 'spot' })", 'SpotBalanceUpdate'],
  ["watchBalance(exchange, { wallet: 'collateral' })", 'CollateralBalanceUpdate'],
  ["watchBalance(exchange, { wallet: 'all' })", 'AllBalancesUpdate'],
] as const;

const signatures = {
  'orders.cancel': '(params: CancelParams, options?: CallOptions) => Observable<Order>',
  'orders.open': '(params?: OpenParams, options?: CallOptions) => Observable<Order[]>',
  'orders.find': '(params: FindParams, options?: FindOptions) => Observable<Order>',
  'subAccounts.listAll': '(params?: ListAllParams, options?: CallOptions) => Observable<SubAccount>',
  'mining.listAllAccounts': '(params?: ListAllAccountsParams, options?: CallOptions) => Observable<MiningAccount>',
  'public.ping': '(options?: CallOptions) => Observable<Pong>',
  'spot.placeLimitOrder': '(params: PlaceLimitOrderParams, options?: CallOptions) => OrderObservable<Order>',
  'spot.placeLimitOrders': '(params: PlaceLimitOrdersParams, options?: CallOptions) => BulkOrderObservable<Order>',
  'live.lastPrice': '(params: MarketsParams) => Observable<LastPrice & LiveStatus>',
  'live.premiumIndex': '(params: MarketsParams) => Observable<PremiumIndex & LiveStatus>',
};

interface Hover {
  /** The declaration, such as `(property) market: string`. */
  readonly declaration: string;
  readonly documentation: string;
  /** The names of its tags, such as `see`. */
  readonly tags: readonly string[];
}

/** A file that is open in an editor, below the package's folder, so that it imports the package by its name. */
class Editor {
  readonly #path = join(root, 'test/open-in-an-editor.ts');
  readonly #text: string;
  readonly #service: ts.LanguageService;

  constructor(text: string) {
    this.#text = text;
    const read = (path: string) => (path === this.#path ? text : ts.sys.readFile(path));
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
    };
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [this.#path],
      getScriptVersion: () => '',
      getScriptSnapshot: (path) => {
        const content = read(path);
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: (path) => path === this.#path || ts.sys.fileExists(path),
      readFile: read,
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
    });
  }

  /** What hovering over the last character of this text shows. */
  hover(text: string): Hover {
    return shown(this.#service.getQuickInfoAtPosition(this.#path, this.#end(text) - 1));
  }

  /** What is shown of each name that is offered after this text. */
  completions(text: string): ReadonlyMap<string, Hover> {
    const at = this.#end(text);
    const offered = this.#service.getCompletionsAtPosition(this.#path, at, undefined)?.entries ?? [];
    return new Map(
      offered.map(({ name }) => {
        const details = this.#service.getCompletionEntryDetails(this.#path, at, name, {}, undefined, {}, undefined);
        return [name, shown(details)];
      }),
    );
  }

  #end(text: string): number {
    const start = this.#text.indexOf(text);
    if (start < 0) throw new Error(`the file has no ${text}`);
    return start + text.length;
  }
}

function shown(info?: Pick<ts.QuickInfo, 'displayParts' | 'documentation' | 'tags'>): Hover {
  return {
    declaration: ts.displayPartsToString(info?.displayParts),
    documentation: ts.displayPartsToString(info?.documentation),
    tags: info?.tags?.map(({ name }) => name) ?? [],
  };
}

const editor = new Editor(
  [
    "import { createExchange, watchBalance } from 'exchange-rx';",
    "const exchange = createExchange({ baseUrl: 'https://exchange.example' });",
    ...groups.map((group) => `void exchange.${group};`),
    ...streams.map(([call, emitted]) => `const ${emitted}$ = ${call};`),
    // First, so that no longer name stands before one of these.
    ...[...Object.keys(signatures), ...paths].map((path) => `void exchange.${path};`),
    ...withParameters.map(({ name }) => `exchange.${name}({  });`),
  ].join('\n'),
);

/** A type that can be read: by name, without the schemas that it is made of. */
const readable = /^(?!.*(?:import\(|typeof |Schema|Bound<|\.\.\.))[^]{1,200}$/;

describe('an editor shows', () => {
  it.each(streams)('what %s emits, by name, and what it is for: %s', (_, emitted) => {
    expect(editor.hover(`const ${emitted}$`).declaration).toMatch(new RegExp(`: Observable<${emitted}>$`));
    expect(editor.hover(`const ${emitted}$ = watchBalance`).documentation).toMatch(/^(Polls|Watches) [^]*\./);
  });

  it.each(groups)('the interface of exchange.%s by its name, and what it is for', (group) => {
    const { declaration, documentation } = editor.hover(`void exchange.${group}`);
    expect(declaration).toMatch(/^\(property\) Exchange\.\w+: \w+Endpoints$/);
    expect(documentation).toMatch(/\.$/);
  });

  it.each(paths)('parameters, output, docstring and tags of exchange.%s', (path) => {
    const { declaration, documentation, tags } = editor.hover(`void exchange.${path}`);
    expect(declaration).toMatch(readable);
    expect(documentation).toMatch(/^[A-Z].*\./);
    expect(tags).toEqual(expect.arrayContaining(['throws', 'see', 'example']));
  });

  it.each(Object.entries(signatures))('the signature, docstring and tags of exchange.%s', (path, signature) => {
    const { declaration, documentation, tags } = editor.hover(`void exchange.${path}`);
    expect(declaration.replaceAll(' | undefined', '').slice(-signature.length - 2)).toBe(`: ${signature}`);
    expect(documentation).toMatch(/^[A-Z].*\./);
    expect(tags).toContain('see');
  });

  it.each(withParameters)(
    'a docstring and a readable type beside every parameter of $name that it offers',
    (endpoint) => {
      const offered = editor.completions(`exchange.${endpoint.name}({ `);
      for (const parameter of parameterNames(endpoint)) {
        const { declaration, documentation } = offered.get(parameter) ?? {};
        expect(declaration).toMatch(new RegExp(`${parameter}\\??: `));
        expect(declaration).toMatch(readable);
        expect(documentation).toMatch(/^[A-Z`].*/);
      }
    },
  );
});
