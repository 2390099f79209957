// What an error keeps of a text of the exchange: its beginning. To look through megabytes for secrets would hold up the event loop, and to keep them
// would fill the memory of a program that keeps its errors.
import type { Redact } from './redact.js';

/** How much is kept of a text, and read of the body of an error, characters. An error of the exchange has less than one KiB, a gateway's page some. */
export const maxQuotedLength = 256 * 2 ** 10;
/** No secret of a request is written with more characters. */
const maxSecretLength = 16 * 2 ** 10;

/** The same for texts of any length: of one that is longer than 256 KiB, the first 240 KiB are left. */
export function boundedRedact(redact: Redact): Redact {
  return (text) => {
    if (text.length <= maxQuotedLength) return redact(text);
    // Copied: a slice would keep the whole text in memory.
    const start = Buffer.from(text.slice(0, maxQuotedLength)).toString();
    // A secret that the cut went through is not known as one: it is at the end, which is left out.
    return redact(start).slice(0, -maxSecretLength);
  };
}
