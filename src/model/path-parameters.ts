// The parameters of a path: names in braces, as in `/api/v4/public/orderbook/{market}`.
const inBraces = /\{([^{}]*)\}/g;

/** The names in braces of a path, in its order. */
export function pathParameters(path: string): readonly string[] {
  return path.includes('{') ? [...path.matchAll(inBraces)].map(([, name = '']) => name) : [];
}

/** A path with the value of each parameter in braces. */
export function filledPath(path: string, valueOf: (name: string) => string): string {
  return path.includes('{') ? path.replace(inBraces, (_, name: string) => valueOf(name)) : path;
}
