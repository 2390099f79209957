/** The example of an endpoint as a program: the docstring begins where the client `exchange` is made. */
export function programOf(example: string): string {
  if (!/\bexchange\b/.test(example) || /createExchange|exchange: Exchange/.test(example)) return example;
  const [, imports = '', calls = ''] = /^((?:import .*\n)*)\n*([^]*)$/.exec(example) ?? [];
  return [
    "import { createExchange } from 'exchange-rx';",
    "import { createSandbox } from 'exchange-rx/sandbox';",
    imports,
    'const exchange = createExchange(createSandbox().clientOptions());',
    calls,
  ].join('\n');
}
