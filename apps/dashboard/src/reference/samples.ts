import type { Operation, Parameter } from './openapi.js';

/** The address in the description and the samples; the page replaces it by its own. */
export const EXAMPLE_ORIGIN = 'https://api.pets.example';

export const languages = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof languages)[number];

const MAX_JSON_LINE = 60;

type Upload = { readonly mediaType: string; readonly file: string };

const uploadFiles: Readonly<Record<string, string>> = {
  'application/gzip': 'site.tar.gz',
  'application/x-ndjson': 'lines.ndjson',
  'text/csv': 'domains.csv',
};

/** A request of the operation with example values, in each language. */
export function samplesOf(operation: Operation): Readonly<Record<Language, string>> {
  return {
    curl: curlSample(operation),
    TypeScript: typescriptSample(operation),
    Python: pythonSample(operation),
  };
}

function curlSample(operation: Operation): string {
  const { method } = operation;
  const json = jsonBodyOf(operation);
  const upload = uploadOf(operation);
  const hasBody = json !== undefined || upload !== null;
  const isImplied = method === 'get' || (method === 'post' && hasBody);
  return [
    `curl ${isImplied ? '' : `-X ${method.toUpperCase()} `}"${EXAMPLE_ORIGIN}${examplePath(operation)}"`,
    '-H "Authorization: Bearer $PETS_API_KEY"',
    ...(json === undefined ? [] : [`--json '${jsonText(json).replaceAll("'", String.raw`'\''`)}'`]),
    ...(upload === null ? [] : [`-H "Content-Type: ${upload.mediaType}"`, `--data-binary @${upload.file}`]),
  ].join(' \\\n  ');
}

function typescriptSample(operation: Operation): string {
  const { method, path, parameters, responses } = operation;
  const pathValues = valuesOf(parameters.filter((parameter) => parameter.in === 'path'));
  const queryValues = valuesOf(requiredQuery(parameters));
  const params = {
    ...(Object.keys(pathValues).length > 0 && { path: pathValues }),
    ...(Object.keys(queryValues).length > 0 && { query: queryValues }),
  };
  const json = jsonBodyOf(operation);
  const upload = uploadOf(operation);
  const options = [
    ...(Object.keys(params).length === 0 ? [] : [`params: ${typescriptLiteral(params, '  ')}`]),
    ...(json === undefined ? [] : [`body: ${typescriptLiteral(json, '  ')}`]),
    ...(upload === null
      ? []
      : [
          `headers: ${typescriptLiteral({ 'Content-Type': upload.mediaType }, '  ')}`,
          `body: await openAsBlob(${typescriptLiteral(upload.file)})`,
        ]),
  ];
  const call = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  const hasData = Object.entries(responses).some(([status, { content }]) => status < '300' && content !== undefined);
  return [
    ...(upload === null ? [] : ["import { openAsBlob } from 'node:fs';"]),
    "import { createPetsClient } from '@pets/client';",
    '',
    'const pets = createPetsClient({',
    `  baseUrl: '${EXAMPLE_ORIGIN}',`,
    "  apiKey: process.env.PETS_API_KEY ?? '',",
    '});',
    '',
    `const { ${hasData ? 'data, ' : ''}error } = await pets.${method.toUpperCase()}('${path}'${call});`,
    'if (error) throw new Error(`${error.code}: ${error.message}`);',
    ...(hasData ? ['console.log(data);'] : []),
  ].join('\n');
}

function pythonSample(operation: Operation): string {
  const json = jsonBodyOf(operation);
  const upload = uploadOf(operation);
  const key = `f"Bearer {os.environ['PETS_API_KEY']}"`;
  const call = [
    `"${EXAMPLE_ORIGIN}${examplePath(operation)}"`,
    upload === null
      ? `headers={"Authorization": ${key}}`
      : `headers={\n        "Authorization": ${key},\n        "Content-Type": "${upload.mediaType}",\n    }`,
    ...(json === undefined ? [] : [`json=${pythonLiteral(json, '    ')}`]),
    ...(upload === null ? [] : [`data=open("${upload.file}", "rb")`]),
    'timeout=30',
  ];
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const printed =
    success?.content === undefined ? 'status_code' : 'application/json' in success.content ? 'json()' : 'text';
  return [
    'import os',
    '',
    'import requests',
    '',
    `response = requests.${operation.method}(`,
    ...call.map((argument) => `    ${argument},`),
    ')',
    'response.raise_for_status()',
    `print(response.${printed})`,
  ].join('\n');
}

/** Formats JSON, on one line if it is short. */
function jsonText(json: unknown): string {
  const line = JSON.stringify(json);
  return line.length <= MAX_JSON_LINE ? line : JSON.stringify(json, null, 2);
}

/** The path with example values and the required part of the query. */
function examplePath({ path, parameters }: Operation): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example ?? name))), path);
  const query = new URLSearchParams(
    Object.entries(valuesOf(requiredQuery(parameters))).map(([name, value]) => [name, String(value)]),
  ).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

function requiredQuery(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
}

function valuesOf(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(parameters.map(({ name, example, schema }) => [name, example ?? schema.enum?.[0] ?? name]));
}

/** The example of a JSON body; undefined without one. */
export function jsonBodyOf({ requestBody }: Operation): unknown {
  return requestBody?.content['application/json']?.example;
}

function uploadOf({ requestBody }: Operation): Upload | null {
  const [mediaType] = Object.keys(requestBody?.content ?? {});
  const file = mediaType === undefined ? undefined : uploadFiles[mediaType];
  return mediaType === undefined || file === undefined ? null : { mediaType, file };
}

interface Dialect {
  readonly text: (value: string) => string;
  readonly key: (name: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
}

const typescript: Dialect = {
  text: quoteSingly,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteSingly(name)),
  words: { true: 'true', false: 'false', null: 'null' },
};

const python: Dialect = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
};

/** Characters that fit on one line of a sample. */
const LINE_LENGTH = 72;

/** A JSON value as a literal of TypeScript, whose lines after the first are indented by `indent`. */
export function typescriptLiteral(value: unknown, indent = ''): string {
  return literal(value, indent, typescript);
}

/** A JSON value as a literal of Python. */
export function pythonLiteral(value: unknown, indent = ''): string {
  return literal(value, indent, python);
}

function literal(value: unknown, indent: string, dialect: Dialect): string {
  if (typeof value === 'string') return dialect.text(value);
  if (value === null || typeof value === 'boolean') return dialect.words[`${value}`];
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}${dialect === python ? '    ' : '  '}`;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => literal(item, inner, dialect))
    : Object.entries(value).map(([name, item]) => `${dialect.key(name)}: ${literal(item, inner, dialect)}`);
  if (members.length === 0) return open + close;
  const padding = dialect === typescript && open === '{' ? ' ' : '';
  const line = `${open}${padding}${members.join(', ')}${padding}${close}`;
  if (indent.length + line.length <= LINE_LENGTH && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
}

function quoteSingly(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
