// The docstrings of the endpoints: the lines between the description and the example are generated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../src/endpoint/index.js';
import { facts, markOf, meaningsOf } from './facts.js';
import { root, type Group, type MemberFile } from './groups.js';

const maxColumns = 120;

/** The section of a member on its page of the reference. */
export function sectionOf(group: Group, { method }: MemberFile): string {
  return `docs/reference/${group.folder}.md#${`${group.name}.${method}`.toLowerCase().replace('.', '')}`;
}

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

function generatedLines(endpoint: Endpoint, section: string): string[] {
  const codes = meaningsOf(endpoint).map((meaning) => {
    const { reason, fields } = meaning;
    const about = fields.map((field) => `\`${field}\``).join(' or ');
    return `\`${reason}\` (${[markOf(meaning), about].filter((part) => part !== '').join(', ')})`;
  });
  const reasons = `{@link ApiError} with \`reason\` ${codes.join(', ')}`;
  const errors =
    endpoint.safety === 'orders'
      ? [
          ...wrapped(`The error of a result: ${reasons}; or any other of every call.`).map((line) => line.trimStart()),
          '',
          '@throws {@link RequestError} for invalid parameters',
        ]
      : [
          ...(codes.length === 0 ? [] : wrapped(`@throws ${reasons}`)),
          '@throws {@link AnyExchangeError} the errors of every call',
        ];
  return [...wrapped(facts(endpoint)).map((line) => line.trimStart()), '', ...errors, `@see ${section}`];
}

/** The part of an endpoint's docstring that is generated: from the line of its method and path to its example. */
const generatedPart = /^ \* `(?:GET|POST|DELETE)[^]*?(?=^ \* @example$)/m;

/** The file of an endpoint with its docstring as its definition says. */
export function withDocstring(group: Group, member: MemberFile, endpoint: Endpoint): string {
  const text = readFileSync(join(root, member.file), 'utf8');
  const start = text.indexOf(`\nexport const ${member.method}`);
  const docstring = text.slice(text.lastIndexOf('/**', start), start);
  if (!generatedPart.test(docstring))
    throw new Error(`the docstring of ${endpoint.name} needs a line \`${endpoint.method}\`, then an @example`);
  const lines = generatedLines(endpoint, sectionOf(group, member)).map((line) => ` * ${line}`.trimEnd());
  return text.replace(docstring, () => docstring.replace(generatedPart, () => `${lines.join('\n')}\n`));
}
