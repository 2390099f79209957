// What the names in the examples are: pointing at one shows its type, and what its docstring says first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';

/** What the transformer uses of shiki. */
interface HighlightOptions {
  readonly lang: string;
  decorations?: readonly Tooltip[];
}

/** A range of an example, and what is shown of it. */
interface Tooltip {
  readonly start: number;
  readonly end: number;
  readonly properties: { readonly title: string; readonly class: string };
}

const maxCharacters = 400;

/** Gives the names of each example their tooltips. All examples are one program, whose types are resolved once. */
export function typesOfNames(files: readonly string[]) {
  const paths = new Map(files.flatMap(examplesOf).map((code, index) => [code, join(root, `build/site/${index}.ts`)]));
  const texts = new Map([...paths].map(([code, path]) => [path, code]));
  const service = serviceOf(texts);
  return {
    name: 'types-of-names',
    preprocess(code: string, options: HighlightOptions) {
      if (options.lang !== 'ts') return;
      const path = paths.get(code.trim());
      if (path === undefined) throw new Error(`An example is not in the documents:\n${code}`);
      options.decorations = [...(options.decorations ?? []), ...tooltipsOf(service, path)];
    },
  };
}

function examplesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (file.endsWith('.ts')) return [text.trim()];
  return [...text.matchAll(/^```ts\n(?<code>[^]*?)^```/gm)].map(({ groups }) => groups?.['code']?.trim() ?? '');
}

function serviceOf(texts: ReadonlyMap<string, string>): ts.LanguageService {
  const config = ts.readConfigFile(join(root, 'test/tsconfig.json'), (path) => ts.sys.readFile(path));
  if (config.error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(config.error.messageText, '\n'));
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, include: [] }, ts.sys, join(root, 'test'));
  return ts.createLanguageService({
    readFile: (path) => ts.sys.readFile(path),
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => '',
    getScriptSnapshot: (path) => {
      const text = texts.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (path) => texts.has(path) || ts.sys.fileExists(path),
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (own) => ts.getDefaultLibFilePath(own),
  });
}

function tooltipsOf(service: ts.LanguageService, path: string): Tooltip[] {
  const program = service.getProgram();
  const source = program?.getSourceFile(path);
  if (program === undefined || source === undefined) return [];
  const isOfPlatform = (file: ts.SourceFile) =>
    program.isSourceFileDefaultLibrary(file) || file.fileName.includes('/node_modules/@types/node/');
  const isKnown = (name: ts.Node) => {
    const { declarations = [] } = program.getTypeChecker().getSymbolAtLocation(name) ?? {};
    return declarations.some((declaration) => isOfPlatform(declaration.getSourceFile()));
  };
  return namesIn(source).flatMap((name) => (isKnown(name) ? [] : tooltipOf(service, path, name, source)));
}

function namesIn(node: ts.Node): ts.Node[] {
  const names: ts.Node[] = [];
  const visit = (inner: ts.Node) => {
    if (ts.isIdentifier(inner)) names.push(inner);
    else ts.forEachChild(inner, visit);
  };
  visit(node);
  return names;
}

function tooltipOf(service: ts.LanguageService, path: string, name: ts.Node, source: ts.SourceFile): Tooltip[] {
  const [start, end] = [name.getStart(source), name.getEnd()];
  const { displayParts = [], documentation = [] } = service.getQuickInfoAtPosition(path, start) ?? {};
  const [first = ''] = ts.displayPartsToString([...documentation]).split('\n\n');
  const type = ts.displayPartsToString(displayParts).replace(/^\(alias\) (?<type>[^]*)\nimport .*$/, '$<type>');
  const words = first.replaceAll('\n', ' ').replaceAll(/\{@link (?<name>\S+?) ?\}/g, '$<name>');
  if (type === '') return [];
  const title = [type, words]
    .filter((text) => text !== '')
    .map(shortened)
    .join('\n\n');
  return [{ start, end, properties: { title, class: 'typed' } }];
}

function shortened(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
