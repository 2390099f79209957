// The identifier that a client gives its order.
/** Spec, Limits: letters, digits, dashes, dots, underscores. */
export const clientOrderIdPattern = /^[A-Za-z0-9._-]+$/;

/** The live exchange takes no longer one, and advises 32. */
export const clientOrderIdMaxLength = 64;
