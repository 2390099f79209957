// Paths with parameters, as the exchange publishes them: `/api/v4/public/trades/{market}`.

const parameter = /\{(\w+)\}/g;

/** The path in the router's notation: `:market` for `{market}`. */
export function routerPath(template: string): string {
  return template.replaceAll(parameter, ':$1');
}

/** Whether a path is the template itself, or the template with values for its parameters. */
export function isPathOf(template: string, path: string): boolean {
  if (template === path) return true;
  const parts = template.split('/');
  const given = path.split('/');
  return (
    parts.length === given.length &&
    parts.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}
