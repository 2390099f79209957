// What the compiler says of options that are given in the place of parameters.
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { compiled } from '../support/compiled.js';
import { root } from '../support/documents.js';

it('options given as parameters: the compiler says where they belong', () => {
  const path = join(root, 'test/options-as-parameters.ts');
  const calls = [
    "ping({ priority: 'urgent' })",
    'serverTime({ timeoutMs: 500 })',
    'markets({ retry: false })',
    'ping({}, { retry: false })',
    'ping(undefined, { timeoutMs: 5 })',
  ];
  const program = compiled(
    new Map([
      [
        path,
        [
          "import type { Exchange } from 'exchange-rx';",
          'declare const exchange: Exchange;',
          ...calls.map((call) => `exchange.public.${call};`),
        ].join('\n'),
      ],
    ]),
  );
  const messages = program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  const notOf = (given: string) =>
    `Type '${given}' is not assignable to type '"this endpoint has no parameters: options are the second argument"'.`;
  expect(messages).toEqual([notOf('"urgent"'), notOf('number'), notOf('false')]);
}, 60_000);
