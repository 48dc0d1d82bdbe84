/**
 * Validates input against a schema and lists all errors with our own messages. Messages of a schema are kept; the default
 * messages of zod are never shown. This is the only file that knows the issue codes of zod.
 */
import { z } from 'zod';
import { fieldError, MAX_FIELD_ERRORS, type FieldError, type FieldErrors } from './field-errors.js';

export type ParsedInput<Output> =
  { readonly ok: true; readonly value: Output } | { readonly ok: false; readonly errors: FieldErrors };

/** The kind of input; it determines the message for an unknown member. */
export type InputKind = 'body' | 'query' | 'path' | 'settings';

type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue['code']> = Extract<Issue, { code: Code }>;
type Path = readonly PropertyKey[];

/** Replaces the default messages of zod, so that any other message is one of the schema. */
const NO_MESSAGE = '\0';

const unknownMember = {
  body: 'is not a field of this request',
  query: 'is not a parameter of this operation',
  path: 'is not a parameter of this operation',
  settings: 'is not a setting',
} as const satisfies Record<InputKind, string>;

/**
 * Replaces text that cannot be stored (a lone surrogate, or NUL, which PostgreSQL does not support), so that its error is
 * listed with the others. It is a symbol because no schema accepts one.
 */
export const UNSTORABLE_TEXT = Symbol('text that cannot be stored');

/**
 * Parses input with a schema. It never throws.
 * @param name the field name, if the input is a single value such as a path parameter
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  kind: InputKind,
  name?: string,
): ParsedInput<z.infer<Schema>> {
  const parsed = schema.safeParse(input, {
    error: (issue) => (isNotInteger(issue) ? 'must be an integer' : NO_MESSAGE),
  });
  if (parsed.success) return { ok: true, value: parsed.data };
  const prefix = name === undefined ? [] : [name];
  const [first, ...others] = distinct(parsed.error.issues, (issue) =>
    toFieldErrors(issue, { input, kind, prefix, base: [] }),
  );
  return { ok: false, errors: [first ?? fieldError(prefix, 'is not valid'), ...others] };
}

/** For a value that is not a number, the issue does not say that an integer is expected. */
function isNotInteger({ code, inst }: z.core.$ZodRawIssue): boolean {
  return code === 'invalid_type' && inst instanceof z.core.$ZodNumberFormat && inst._zod.def.format.includes('int');
}

interface Place {
  readonly input: unknown;
  readonly kind: InputKind;
  /** The name of the input itself. */
  readonly prefix: Path;
  /** The path that the path of the issue is relative to. */
  readonly base: Path;
}

/** Removes duplicates, since two checks of a field may have the same message, and stops at the limit. */
function distinct(issues: readonly Issue[], describeOne: (issue: Issue) => FieldError[]): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const issue of issues) {
    for (const error of describeOne(issue)) found.set(`${error.field}\n${error.message}`, error);
    if (found.size >= MAX_FIELD_ERRORS) break;
  }
  return [...found.values()].slice(0, MAX_FIELD_ERRORS);
}

function toFieldErrors(issue: Issue, place: Place): FieldError[] {
  const path = [...place.base, ...issue.path];
  const field = [...place.prefix, ...path];
  const value = valueAt(place.input, path);
  if (value === UNSTORABLE_TEXT) return [fieldError(field, 'must be well-formed text without NUL')];
  if (isMissing(issue, value)) return [fieldError(field, 'is required')];
  if (issue.message !== NO_MESSAGE) return [fieldError(field, issue.message)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => fieldError([...field, key], unknownMember[place.kind]));
    case 'invalid_union':
      return unionErrors(issue, { ...place, base: path });
    case 'invalid_element':
      return issue.issues.flatMap((inner) => toFieldErrors(inner, { ...place, base: path }));
    case 'invalid_type':
    case 'invalid_value':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
    case 'invalid_format':
    case 'invalid_key':
    case 'custom':
      return [fieldError(field, messageFor(issue))];
  }
}

/** Whether the value is absent. This takes precedence over all other issues of the field. */
function isMissing(issue: Issue, value: unknown): boolean {
  if (value !== undefined || issue.code === 'unrecognized_keys') return false;
  // A check across fields may name an absent field and explain why it is required.
  return issue.code !== 'custom' || issue.message === NO_MESSAGE;
}

function valueAt(input: unknown, path: Path): unknown {
  let at = input;
  for (const step of path) {
    if (at instanceof Map) at = at.get(step);
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, step))
      at = (at as Record<PropertyKey, unknown>)[step]; // has the member, by the line above
    else return undefined;
  }
  return at;
}

/** The errors of the alternative that the value was meant for, if there is exactly one. */
function unionErrors(issue: IssueOf<'invalid_union'>, place: Place): FieldError[] {
  const field = [...place.prefix, ...place.base];
  if ('options' in issue && issue.options !== undefined) return [fieldError(field, oneOf(issue.options))];
  if (issue.inclusive === false) return [fieldError(field, 'must match exactly one of the allowed formats')];
  const forms: readonly (readonly Issue[])[] = issue.errors;
  const meant = forms.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (meant.length === 1) return meant[0]?.flatMap((inner) => toFieldErrors(inner, place)) ?? [];
  const types = forms.map(([first]) => (first?.code === 'invalid_type' ? typeName(first.expected) : null));
  const known = [...new Set(types)].filter((type) => type !== null);
  const words =
    types.includes(null) || known.length === 0
      ? 'does not match any of the allowed formats'
      : `must be ${either(known)}`;
  return [fieldError(field, words)];
}

type PlainIssue = Exclude<Issue, IssueOf<'unrecognized_keys' | 'invalid_union' | 'invalid_element'>>;

function messageFor(issue: PlainIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return isForbidden(issue.expected) ? 'must not be set' : `must be ${typeName(issue.expected)}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return lowerBound(issue);
    case 'too_big':
      return upperBound(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formatMessage(issue);
    case 'invalid_key':
      return 'is not an allowed name';
    case 'custom':
      return 'is not valid';
  }
}

const isForbidden = (expected: string) => ['never', 'undefined', 'void'].includes(expected);

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  bigint: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  array: 'an array',
  tuple: 'an array',
  set: 'an array',
  date: 'a date',
  null: 'null',
};

function typeName(expected: string): string {
  return typeNames[expected] ?? 'of another type';
}

function either(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;
}

/** The unit of a size; null if the value itself is compared. */
function unitOf(origin: string): readonly [one: string, many: string] | null {
  switch (origin) {
    case 'string':
      return ['character', 'characters'];
    case 'array':
    case 'set':
    case 'map':
      return ['entry', 'entries'];
    case 'object':
    case 'record':
      return ['member', 'members'];
    case 'file':
      return ['byte', 'bytes'];
    default:
      return null;
  }
}

function lowerBound({ origin, minimum, inclusive = true, exact = false }: IssueOf<'too_small'>): string {
  const unit = unitOf(origin);
  const limit = boundText(origin, minimum);
  if (unit === null) return exact ? `must be ${limit}` : `must be ${inclusive ? 'at least' : 'greater than'} ${limit}`;
  const least = inclusive ? Number(minimum) : Number(minimum) + 1;
  if (exact) return `must have exactly ${counted(Number(minimum), unit)}`;
  return least === 1 ? 'must not be empty' : `must have at least ${counted(least, unit)}`;
}

function upperBound({ origin, maximum, inclusive = true, exact = false }: IssueOf<'too_big'>): string {
  const unit = unitOf(origin);
  const limit = boundText(origin, maximum);
  if (unit === null) return exact ? `must be ${limit}` : `must be ${inclusive ? 'at most' : 'less than'} ${limit}`;
  const most = inclusive ? Number(maximum) : Number(maximum) - 1;
  if (exact) return `must have exactly ${counted(Number(maximum), unit)}`;
  return most === 0 ? 'must be empty' : `must have at most ${counted(most, unit)}`;
}

/** zod has the bounds of dates in milliseconds. */
function boundText(origin: string, bound: number | bigint): string {
  return origin === 'date' ? new Date(Number(bound)).toISOString() : String(bound);
}

function counted(count: number, [one, many]: readonly [one: string, many: string]): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names for the string formats of zod. */
const formatNames: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a date and time (RFC 3339), such as 2026-11-02T09:00:00Z',
  date: 'a date, such as 2026-11-02',
  time: 'a time, such as 09:00:00',
  duration: 'a duration (ISO 8601), such as P3D',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range of IPv4 addresses, such as 192.0.2.0/24',
  cidrv6: 'a range of IPv6 addresses, such as 2001:db8::/32',
  mac: 'a MAC address',
  hostname: 'a host name',
  base64: 'text in base64',
  base64url: 'text in base64url',
  hex: 'hexadecimal digits',
  json_string: 'JSON text',
  e164: 'a telephone number, such as +4930123456',
  emoji: 'an emoji',
  jwt: 'a JSON Web Token',
  lowercase: 'in lower case',
  uppercase: 'in upper case',
};

function formatMessage(issue: IssueOf<'invalid_format'>): string {
  if (isFormat(issue, 'starts_with')) return `must begin with ${issue.prefix}`;
  if (isFormat(issue, 'ends_with')) return `must end with ${issue.suffix}`;
  if (isFormat(issue, 'includes')) return `must contain ${issue.includes}`;
  const name = formatNames[issue.format];
  return name === undefined ? 'has the wrong format' : `must be ${name}`;
}

type Format<Name> = Extract<z.core.$ZodStringFormatIssues, { format: Name }>;

function isFormat<Name extends string>(issue: IssueOf<'invalid_format'>, name: Name): issue is Format<Name> {
  return issue.format === name;
}
