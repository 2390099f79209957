// Files and sockets that a program waits for, which do not follow virtual time: the process has more of them than before
// the run. Node lists no work of its thread pool, such as zlib, and no worker.

export class Escapes {
  readonly #before = counts();
  readonly #found = new Set<string>();

  get names(): readonly string[] {
    return [...this.#found].sort();
  }

  /** Called while the run itself waits for nothing. */
  sample(): void {
    for (const [name, count] of counts()) if (count > (this.#before.get(name) ?? 0)) this.#found.add(name);
  }
}

function counts(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
