// The docstrings of the members of the groups, as they are declared to users: with the lines that follow from the
// definition, before the example.
import type { Endpoint } from '../../src/endpoint/index.js';
import { facts, markOf, meaningsOf, promiseOf, type Member } from './facts.js';
import type { Group, MemberFile } from './groups.js';

const maxColumns = 120;

/** Wraps a line, with two spaces before the lines that go on. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && ` * ${line} ${word}`.length <= maxColumns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines;
}

function reasonsOf(endpoint: Endpoint): string | undefined {
  const codes = meaningsOf(endpoint).map((meaning) => {
    const about = meaning.fields.map((field) => `\`${field}\``).join(' or ');
    return `\`${meaning.reason}\` (${[markOf(meaning), about].filter((part) => part !== '').join(', ')})`;
  });
  return codes.length === 0 ? undefined : `{@link ApiError} with \`reason\` ${codes.join(', ')}`;
}

/** What a member throws; and, for several orders, the errors of their results. */
function errorsOf(member: Member): { readonly results?: string; readonly thrown: readonly string[] } {
  if ('pagesOf' in member) {
    const moved = '{@link ResponseError} when the list moved too often while it was read';
    const pages = `the errors of {@link ${member.pagesOf.name.split('.').at(-1)}}`;
    return { thrown: member.canShrink === true ? [moved, pages] : [pages] };
  }
  if ('finds' in member)
    return {
      thrown: [
        '{@link RequestError} for a `market` or `client_order_id` that no order can have',
        '{@link NotPlacedError}, {@link LookupError}, {@link TimeoutError}',
      ],
    };
  const reasons = reasonsOf(member);
  if (member.safety === 'orders')
    return {
      results: `The error of a result: ${reasons}; or any other of every call.`,
      thrown: ['{@link RequestError} for invalid parameters'],
    };
  return { thrown: [...(reasons === undefined ? [] : [reasons]), '{@link AnyExchangeError} the errors of every call'] };
}

function generatedLines(member: Member, section: string): string[] {
  const { results, thrown } = errorsOf(member);
  const said = [promiseOf(member), 'path' in member ? facts(member) : undefined, results];
  return [
    ...said.flatMap((text) => (text === undefined ? [] : ['', ...wrapped(text).map((line) => line.trimStart())])),
    '',
    ...thrown.flatMap((text) => wrapped(`@throws ${text}`)),
    `@see ${section}`,
  ];
}

/** The declaration of a member with its whole docstring. */
export function withDocstring(declaration: string, group: Group, file: MemberFile, member: Member): string {
  const start = declaration.indexOf(`\nexport declare const ${file.method}:`);
  const docstring = declaration.slice(declaration.lastIndexOf('/**', start), start);
  const [description = '', example] = docstring.split(/^ \*\n(?= \* @example$)/m);
  if (start < 0 || example === undefined) throw new Error(`the docstring of ${member.name} needs an @example`);
  const section = `docs/reference/${group.folder}.md#${member.name.toLowerCase().replace('.', '')}`;
  const lines = generatedLines(member, section).map((line) => ` * ${line}`.trimEnd());
  return declaration.replace(docstring, () => `${description}${lines.join('\n')}\n${example}`);
}
