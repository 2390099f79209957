import { describeOrdersAtRandom, many } from './at-random.js';

describeOrdersAtRandom(3, many);
