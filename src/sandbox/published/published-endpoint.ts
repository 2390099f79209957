// What the exchange publishes of an endpoint, as far as the sandbox decides by it.

/** A field of a query or a body. */
export interface PublishedField {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string | number | boolean;
  readonly nullable?: boolean;
  readonly items?: PublishedField;
  /** The fields of an object, and the names of those that are required. */
  readonly fields?: Readonly<Record<string, PublishedField>>;
  readonly required?: readonly string[];
}

/** An endpoint. The name of a parameter of its path stands in braces: `/orderbook/{market}`. */
export interface PublishedEndpoint {
  readonly method: 'GET' | 'POST';
  /** Absent for the limit of every endpoint without its own. */
  readonly limit?: { readonly requests: number; readonly perSeconds: number };
  /** HTTP statuses, that of a success first. */
  readonly statuses: readonly string[];
  /** The fields of the query or of the body, by their names on the wire. */
  readonly fields: Readonly<Record<string, PublishedField>>;
  /** The names of the required fields. */
  readonly required: readonly string[];
}
