// The types of parameters and outputs as they are declared to users: plain interfaces. In the sources they extend types
// that are inferred from valibot's schemas, which would show the insides of every schema.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The inferred types: an interface that extends one gets its members. */
const inferred = /^(Readonly<)?(t\.)?(ParamsOf|RecordOf)</;

/** Writes the inferred members of every interface that is declared below a folder. */
export function writePlainTypes(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.d.ts') && /Of<|\* as t /.test(readFileSync(name, 'utf8')));
  const program = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not in the program`);
    const interfaces = source.statements.filter(ts.isInterfaceDeclaration).toReversed();
    const text = interfaces.reduce((written, declared) => withMembers(written, declared, checker), source.text);
    const plain = withNames(text);
    if (plain !== source.text) writeFileSync(file, plain);
  }
}

/** The two types of the namespace `t` by their own names: bundled, a namespace would declare all of its schemas. */
function withNames(text: string): string {
  return text
    .replace(/^import (?:type )?\* as t from ('.*');$/m, 'import type { LiteralUnion, RecordOf } from $1;')
    .replaceAll(/\bt\.(?=(?:LiteralUnion|RecordOf)\b)/g, '');
}

function withMembers(text: string, declared: ts.InterfaceDeclaration, checker: ts.TypeChecker): string {
  const [clause] = declared.heritageClauses ?? [];
  const bases = clause === undefined ? [] : [...clause.types];
  const written = bases.filter((base) => inferred.test(base.getText()));
  if (clause === undefined || written.length === 0) return text;
  const types = written.map((base) => checker.getTypeAtLocation(base));
  const own = new Set(declared.members.map((member) => member.name?.getText()));
  const members = types.flatMap((type) => membersOf(type, declared, checker).filter(({ name }) => !own.has(name)));
  const indexes = types.flatMap((type) => indexesOf(type, declared, checker));
  const lines = [...members.map((member) => member.text), ...new Set(indexes)];
  const kept = bases.filter((base) => !written.includes(base)).map((base) => base.getText());
  const extending = kept.length === 0 ? '' : `extends ${kept.join(', ')} `;
  const body = text.indexOf('{', clause.end) + 1;
  return `${text.slice(0, clause.getStart())}${extending}{\n${lines.join('')}${text.slice(body).trimStart()}`;
}

function textOf(type: ts.Type, place: ts.Node, checker: ts.TypeChecker): string {
  const { NoTruncation, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;
  return checker.typeToString(type, place, NoTruncation | UseSingleQuotesForStringLiteralType);
}

/** The properties of a type with their docstrings, in the order of their declarations. */
function membersOf(type: ts.Type, place: ts.Node, checker: ts.TypeChecker): { name: string; text: string }[] {
  const positionOf = ({ declarations: [first] = [] }: ts.Symbol) => first?.pos ?? 0;
  const properties = checker.getPropertiesOfType(type);
  return properties
    .toSorted((one, other) => positionOf(one) - positionOf(other))
    .map((property) => {
      const [docs] = (property.declarations ?? []).flatMap(ts.getJSDocCommentsAndTags).filter(ts.isJSDoc);
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const name = /^[A-Za-z_]\w*$/.test(property.name) ? property.name : JSON.stringify(property.name);
      const value = checker.getTypeOfSymbol(property);
      const isOnlyMissing = isOptional && !mayBeUndefined(value, checker);
      const shown = textOf(value, place, checker).replace(isOnlyMissing ? / \| undefined$/ : '', '');
      const docstring = docs === undefined ? '' : `    ${docs.getText()}\n`;
      return { name, text: `${docstring}    ${name}${isOptional ? '?' : ''}: ${shown};\n` };
    });
}

/** The names that an open record also has. */
function indexesOf(type: ts.Type, place: ts.Node, checker: ts.TypeChecker): string[] {
  const infos = checker.getIndexInfosOfType(type);
  return infos.map(({ keyType, type: value }) => {
    return `    [name: ${textOf(keyType, place, checker)}]: ${textOf(value, place, checker)};\n`;
  });
}

/** Whether a property may be `undefined`, and not only be missing. */
function mayBeUndefined(type: ts.Type, checker: ts.TypeChecker): boolean {
  return type.isUnion() && type.types.includes(checker.getUndefinedType());
}
