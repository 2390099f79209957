// A fault of any kind, with those of some fields that the kind uses: the sandbox refuses the others.
import type { Fault, FaultKind } from 'exchange-rx/sandbox';
import { kindOfFault } from '../../src/sandbox/faults/fault.js';

export function faultOf(kind: FaultKind, { path, times, ...fields }: Omit<Fault, 'kind'>): Fault {
  const uses = (field: string) => kindOfFault(kind).uses.some((used) => used === field);
  return {
    kind,
    ...(path === undefined ? {} : { path }),
    ...(times === undefined ? {} : { times }),
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => uses(field))),
  };
}
