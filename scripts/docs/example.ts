// The examples of docstrings.
import * as groups from '../../src/endpoints/groups.js';

/** The example of an endpoint as a program: the docstring begins where the client `exchange` is made. */
export function programOf(example: string): string {
  if (!/\bexchange\b/.test(example) || /createExchange|exchange: Exchange/.test(example)) return example;
  const [, imports = '', calls = ''] = /^((?:import .*\n)*)\n*([^]*)$/.exec(example) ?? [];
  return [
    "import { createExchange } from 'exchange-rx';",
    "import { createSandbox } from 'exchange-rx/sandbox';",
    imports,
    movesMoneyOut(calls)
      ? 'const exchange = createExchange({ ...createSandbox().clientOptions(), allowWithdrawals: true });'
      : 'const exchange = createExchange(createSandbox().clientOptions());',
    calls,
  ].join('\n');
}

const names = Object.values(groups).flatMap((group) =>
  Object.values<object>(group).flatMap((member) =>
    'name' in member && 'movesMoneyOut' in member && member.movesMoneyOut === true ? [String(member.name)] : [],
  ),
);

/** Whether an example calls an endpoint that needs `allowWithdrawals`. */
function movesMoneyOut(calls: string): boolean {
  const plain = calls.replaceAll(/\s+/g, '');
  return names.some((name) => plain.includes(`exchange.${name}(`));
}
