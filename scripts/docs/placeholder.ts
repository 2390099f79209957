/** The beginning of a sentence that `npm run new:endpoint` leaves to its caller; a test finds those that are left. */
export const placeholder = 'TODO:';
