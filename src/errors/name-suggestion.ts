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

/** Damerau-Levenshtein distance (optimal string alignment): insert, remove, replace, or swap two neighbors. */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (last[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isExchanged =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const exchanged = isExchanged ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced, exchanged));
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
