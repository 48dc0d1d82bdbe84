/** The part of OpenAPI 3.1 that we write. */

export type Schema = Readonly<Record<string, unknown>>;
export type Reference = { readonly $ref: string; readonly description?: string };

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: string | number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly style?: 'deepObject';
  readonly explode?: boolean;
  readonly schema: unknown;
  readonly example?: unknown;
}

interface MediaType {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly [member: string]: unknown;
}

export interface PathItem {
  readonly [method: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A reference to a component: `#/components/headers/Link`. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters' | 'responses' | 'examples', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}
