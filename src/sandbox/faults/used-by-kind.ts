// The check of the fields of a fault, over REST and on the real-time interface: a field that its kind does not use would
// have no effect, and the test would pass without testing anything.
import * as v from 'valibot';

type Kinds = Readonly<Record<string, { readonly uses: readonly string[] }>>;

export function usedByKind<Schema extends v.GenericSchema<unknown, object>>(schema: Schema, kinds: Kinds) {
  const usersOf = (field: string) =>
    Object.entries(kinds).flatMap(([name, { uses }]) => (uses.includes(field) ? [`"${name}"`] : []));
  return v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { kind, ...others }: { readonly kind?: unknown } = dataset.value;
      for (const [field, value] of Object.entries(others)) {
        const users = usersOf(field);
        if (value === undefined || users.length === 0 || users.includes(`"${String(kind)}"`)) continue;
        addIssue({
          message: `${field} is a field of kind ${users.join(', ')}; kind "${String(kind)}" does not use it`,
        });
      }
    }),
  );
}
