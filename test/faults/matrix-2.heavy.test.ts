import { describe } from 'vitest';
import { circumstances, describeUnderFaults, inSomeCircumstances } from './matrix.js';

describe.each(inSomeCircumstances)('$name', (order) => {
  describeUnderFaults(order, circumstances.slice(0, 3));
});
