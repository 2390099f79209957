// The door of movements: what moves money, or creates something, at most once.
export { Movements, type MovementEvent } from './movements.js';
