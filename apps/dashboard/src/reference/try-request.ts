import type { Operation, Parameter } from './openapi.js';

/** What a reader entered. A field that was left empty is not sent. */
export interface Entered {
  readonly apiKey: string;
  readonly valueOf: (parameter: Parameter) => string;
  readonly body: string | Blob | null;
  readonly mediaType: string | null;
}

export interface TryRequest {
  readonly path: string;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string | Blob };
}

/** The request that the entered values make. */
export function requestOf(operation: Operation, { apiKey, valueOf, body, mediaType }: Entered): TryRequest {
  const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${apiKey}` };
  const query = new URLSearchParams();
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = valueOf(parameter).trim();
    if (value === '') continue;
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === 'header') headers[parameter.name] = value;
    else query.append(...queryEntry(parameter, value));
  }
  if (mediaType !== null) headers['content-type'] = mediaType;
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return {
    path: path + search,
    init: { method: operation.method.toUpperCase(), headers, ...(body !== null && { body }) },
  };
}

/** `tier=gold` of the parameter `metadata` is sent as `metadata[tier]=gold`. */
function queryEntry({ name, schema }: Parameter, value: string): [string, string] {
  if (schema.type !== 'object') return [name, value];
  const [key = '', ...rest] = value.split('=');
  return [`${name}[${key}]`, rest.join('=')];
}
