import { describe } from 'vitest';
import { circumstances, describeUnderFaults, inEveryCircumstance } from './matrix.js';

describe.each(inEveryCircumstance)('$name', (order) => {
  describeUnderFaults(order, circumstances);
});
