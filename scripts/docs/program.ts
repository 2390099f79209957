// What TypeScript's compiler knows of the sources: docstrings, types, and the properties of types.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './groups.js';

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
  config: unknown;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

/** A property of a type, as an editor shows it. */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly meaning: string;
  readonly default: string;
  /** The record that it is, or that its list or map holds. */
  readonly record: ts.Type | undefined;
}

export class Sources {
  readonly #program: ts.Program;
  readonly checker: ts.TypeChecker;

  /** @param changed texts of files that are not written yet */
  constructor(changed: ReadonlyMap<string, string> = new Map()) {
    const texts = new Map([...changed].map(([file, text]) => [join(root, file), text]));
    const disk = ts.createCompilerHost(options);
    const host: ts.CompilerHost = { ...disk, readFile: (path) => texts.get(path) ?? disk.readFile(path) };
    host.getSourceFile = (path, version, ...rest) => {
      const text = texts.get(path);
      return text === undefined
        ? disk.getSourceFile(path, version, ...rest)
        : ts.createSourceFile(path, text, version, true);
    };
    this.#program = ts.createProgram([join(root, 'src/index.ts')], { ...options, noEmit: true }, host);
    this.checker = this.#program.getTypeChecker();
  }

  source(file: string): ts.SourceFile {
    const source = this.#program.getSourceFile(join(root, file));
    if (source === undefined) throw new Error(`${file} is not part of the package: run npm run docs again`);
    return source;
  }

  /** The exported declaration of a member: a constant with a type. */
  declaration(file: string, name: string): ts.VariableDeclaration {
    for (const statement of this.source(file).statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const found = statement.declarationList.declarations.find((one) => one.name.getText() === name);
      if (found !== undefined) return found;
    }
    throw new Error(`${file} does not declare ${name}`);
  }

  /** The properties of a type, without those that any other name has. */
  properties(type: ts.Type, place: ts.Node): Property[] {
    return this.checker
      .getPropertiesOfType(type)
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map((property) => this.#describe(property, place));
  }

  #describe(property: ts.Symbol, place: ts.Node): Property {
    const declared = this.checker.getNonNullableType(this.checker.getTypeOfSymbolAtLocation(property, place));
    const [given] = property.getJsDocTags(this.checker).filter(({ name }) => name === 'default');
    return {
      name: property.name,
      type: this.text(declared, place),
      isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      meaning: plain(property.getDocumentationComment(this.checker)),
      default: plain(given?.text ?? []),
      record: this.#recordOf(declared),
    };
  }

  /** A type as readers see it: enumerations that may grow list their known values. */
  text(type: ts.Type, place: ts.Node): string {
    return this.checker
      .typeToString(type, place, ts.TypeFormatFlags.NoTruncation)
      .replaceAll(/import\("[^"]*"\)\./g, '')
      .replaceAll(/LiteralUnion<([^>]*)>/g, '$1')
      .replaceAll(/\(string & \{\}\) \| /g, '')
      .replaceAll(/ \| \(string & \{\}\)/g, '')
      .replaceAll('"', "'")
      // The compiler lists literals in the order in which it met them, which changes with any file.
      .replaceAll(/'[^']*'(?: \| '[^']*')+/g, (union) => union.split(' | ').sort().join(' | '));
  }

  /** The interface of the package that a type is, or holds. */
  #recordOf(type: ts.Type): ts.Type | undefined {
    const [item] = this.checker.isArrayType(type) ? this.checker.getTypeArguments(type as ts.TypeReference) : [];
    const held = item ?? type;
    if (!held.isClassOrInterface()) return undefined;
    const file = held.symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
    return file.startsWith(join(root, 'src')) ? held : undefined;
  }

  /** The interfaces that an output is made of, outermost first. */
  records(output: ts.Type, place: ts.Node, found: ts.Type[] = []): ts.Type[] {
    const record = this.#recordOf(output);
    const index = this.checker.getIndexInfoOfType(output, ts.IndexKind.String)?.type;
    if (index !== undefined && (record === undefined || this.checker.getPropertiesOfType(output).length === 0))
      return this.records(index, place, found);
    if (record === undefined || found.includes(record)) return found;
    found.push(record);
    for (const property of this.properties(record, place))
      if (property.record !== undefined) this.records(property.record, place, found);
    return found;
  }
}

/** Where a property is declared, by which properties of one file are sorted. */
function placeOf({ declarations }: ts.Symbol): number {
  return declarations?.[0]?.pos ?? 0;
}

/** The text of a docstring, with names for its links. */
export function plain(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? [])
    .map(({ kind, text }) => (kind === 'linkName' || kind === 'linkText' ? `\`${text.trim()}\`` : kind === 'link' ? '' : text))
    .join('')
    .replaceAll(/[^\S\n]*\n[^\S\n]*/g, '\n')
    .trim();
}
