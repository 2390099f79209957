// The nearest known name to a misspelled one, for messages.

/** Maximum edits between a misspelled name and the one that was meant; with more edits it is another word. */
const maxEdits = 2;

/** What other libraries call an option or a parameter. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ symbol: 'market', pair: 'market', instrument: 'market' },
  ...{ quantity: 'amount', qty: 'amount', size: 'amount', volume: 'amount' },
  ...{ apikey: 'credentials', apisecret: 'credentials', key: 'credentials', secret: 'credentials' },
};
const suggestions: Readonly<Record<string, string>> = { credentials: 'credentials: { apiKey, apiSecret }' };

/** `; did you mean maxRetries?`, or an empty text when no known name is near. */
export function suggestName(name: string, known: readonly string[]): string {
  const given = name.toLowerCase();
  const other = Object.hasOwn(otherNames, given) ? (otherNames[given] ?? '') : '';
  if (known.includes(other)) return `; did you mean ${suggestions[other] ?? other}?`;
  const distances = known.map((candidate) => ({ candidate, edits: editsTo(given, candidate.toLowerCase()) }));
  const near = distances.filter(({ candidate, edits }) => edits <= maxEdits && edits < candidate.length / 2);
  const [nearest] = near.sort((one, other) => one.edits - other.edits);
  return nearest === undefined ? '' : `; did you mean ${nearest.candidate}?`;
}

/** The beginning or end of a name counts as one edit: `timeout` for `timeoutMs`, `retries` for `maxRetries`. */
function editsTo(given: string, candidate: string): number {
  const isPart = given.length > 3 && (candidate.startsWith(given) || candidate.endsWith(given));
  return Math.min(isPart ? 1 : maxEdits + 1, distance(given, candidate));
}

/** Levenshtein distance: insert, remove or replace a letter. */
function distance(one: string, other: string): number {
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 0; row < one.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (last[column] ?? 0) + (one[row] === other[column] ? 0 : 1);
      current.push(Math.min(replaced, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    last = current;
  }
  return last[other.length] ?? 0;
}
