// The methods of a group as a client has them: an interface, so that an editor shows each with its docstring.
import ts from 'typescript';
import type { Endpoint } from '../../src/endpoints/define-endpoint.js';
import { hasNoParameters } from '../../src/endpoints/define-endpoint.js';
import { endpointsFolder, pascalCase, written, type Group, type MemberFile } from './groups.js';
import type { Declaration, Sources } from './program.js';

interface Method {
  readonly name: string;
  readonly docstring: string;
  readonly signature: string;
}

/** Whether every parameter may be left out. */
function isOptional({ request }: Endpoint): boolean {
  const entries = 'entries' in request ? (request.entries as Readonly<Record<string, { readonly type: string }>>) : {};
  return Object.values(entries).every(({ type }) => type === 'exact_optional');
}

/** Names and the modules that a file of the folder imports them from, or the file itself. */
function importsOf(declaration: Declaration): Map<string, string> {
  const source = declaration.getSourceFile();
  const names = new Map<string, string>();
  const own = `./${source.fileName.split('/').at(-1)?.replace('.ts', '.js')}`;
  for (const statement of source.statements) {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) names.set(statement.name.text, own);
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const module = (statement.moduleSpecifier as ts.StringLiteral).text;
    for (const { name } of bindings.elements) names.set(name.text, module);
  }
  return names;
}

function signatureOf(declaration: Declaration, endpoint: Endpoint | undefined): string {
  if (ts.isFunctionDeclaration(declaration)) {
    const [, ...parameters] = declaration.parameters;
    const listed = parameters.map(
      ({ name, type, initializer, questionToken }) =>
        `${name.getText()}${initializer === undefined && questionToken === undefined ? '' : '?'}: ${type?.getText() ?? 'unknown'}`,
    );
    return `(${listed.join(', ')}) => ${declaration.type?.getText() ?? 'unknown'}`;
  }
  const { type } = declaration;
  if (endpoint === undefined || type === undefined || !ts.isTypeReferenceNode(type))
    throw new Error(`${declaration.name.getText()} has no type Endpoint or OrderEndpoint`);
  const [params = '', output = ''] = type.typeArguments?.map((argument) => argument.getText()) ?? [];
  const observable = observables.get(type.typeName.getText()) ?? 'Observable';
  const given = hasNoParameters(endpoint) ? '' : `params${isOptional(endpoint) ? '?' : ''}: ${params}, `;
  return `(${given}options?: CallOptions) => ${observable}<${output}>`;
}

/** What a call of an endpoint of this type returns, where it is more than an observable. */
const observables: ReadonlyMap<string, string> = new Map([
  ['OrderEndpoint', 'OrderObservable'],
  ['BulkOrderEndpoint', 'BulkOrderObservable'],
]);

function docstringOf(declaration: Declaration): string {
  const holder = ts.isFunctionDeclaration(declaration) ? declaration : declaration.parent.parent;
  const [comment] = ts.getJSDocCommentsAndTags(holder);
  return comment?.getText() ?? '';
}

const shared: ReadonlyMap<string, string> = new Map([
  ['Observable', 'rxjs'],
  ['CallOptions', '../../client/index.js'],
  ['OrderObservable', '../../orders/index.js'],
  ['BulkOrderObservable', '../../orders/index.js'],
]);

/** The interface of a group, and the file that it is in. */
export function methodsFile(
  sources: Sources,
  group: Group,
  endpointOf: (member: MemberFile) => Endpoint | undefined,
): readonly [file: string, text: string] {
  const modules = new Map(shared);
  const methods = group.members.map((member): Method => {
    const declaration = sources.declaration(member.file, member.method);
    for (const [name, module] of importsOf(declaration)) modules.set(name, module);
    const signature = signatureOf(declaration, endpointOf(member));
    return { name: member.method, docstring: docstringOf(declaration), signature };
  });
  const used = [...modules].filter(([name]) =>
    methods.some(({ signature }) => new RegExp(`\\b${name}\\b`).test(signature)),
  );
  const byModule = new Map<string, string[]>();
  for (const [name, module] of used) byModule.set(module, [...(byModule.get(module) ?? []), name]);
  const imports = [...byModule].map(([module, names]) => `import type { ${names.sort().join(', ')} } from '${module}';`);
  const members = methods.map(
    ({ name, docstring, signature }) =>
      `${docstring.replaceAll(/^ ?/gm, '  ').replace(/^ +/, '  ').replaceAll(/^ +\*/gm, '   *')}\n  readonly ${name}: ${signature};`,
  );
  const name = `${pascalCase(group.name)}Endpoints`;
  const text = [
    `${written}: the methods of \`exchange.${group.name}\`.`,
    ...imports.sort(),
    '',
    `/** The methods of \`exchange.${group.name}\`. */`,
    `export interface ${name} {`,
    members.join('\n'),
    '}',
    '',
  ].join('\n');
  return [`${endpointsFolder}/${group.folder}/methods.ts`, text];
}

