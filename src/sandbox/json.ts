// JSON that somebody else wrote: a client, or the exchange in a recording.

/** `undefined` for text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
