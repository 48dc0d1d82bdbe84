import {
  boundsOf,
  Decimal,
  isList,
  isObject,
  resolve,
  typesOf,
  writeJson,
  type Components,
  type Json,
  type Schema,
  type TypeName,
} from './json.js';

/** Finds the faults of a value by its schema; none, if it is valid. Text that is no Unicode text is never valid. */
export function findFaults(schema: Schema, value: Json, components: Components, at = 'value'): string[] {
  const resolved = resolve(schema, components);
  const { anyOf } = resolved;
  if (anyOf !== undefined) {
    const branches = anyOf.map((branch) => findFaults(branch, value, components, at));
    return branches.find((faults) => faults.length === 0) ?? branches.flat();
  }
  const type = typeOf(value);
  const types = typesOf(resolved);
  if (!types.includes(type) && !(type === 'integer' && types.includes('number')))
    return [`${at}: ${type} for ${types.join(' or ')}`];
  if (resolved.enum !== undefined && !resolved.enum.some((each) => each === value))
    return [`${at}: ${writeJson(value)} is none of ${resolved.enum.join(', ')}`];
  if (resolved.const !== undefined && resolved.const !== value) return [`${at}: is not ${resolved.const}`];
  if (typeof value === 'string') return findTextFaults(resolved, value).map((fault) => `${at}: ${fault}`);
  if (typeof value === 'number' || typeof value === 'bigint') return findIntegerFaults(resolved, value, at);
  if (typeof value !== 'object' || value === null) return [];
  if (isList(value)) return findListFaults(resolved, value, components, at);
  return isObject(value) ? findObjectFaults(resolved, value, components, at) : [];
}

function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number' || typeof value === 'bigint') return 'integer';
  if (typeof value === 'string') return 'string';
  if (value instanceof Decimal) return 'number';
  return isList(value) ? 'array' : 'object';
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

const isOfFormat: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => uuid.test(text),
  'date-time': (text) => instant.test(text) && !Number.isNaN(Date.parse(text)),
  uri: (text) => URL.canParse(text),
  'uri-reference': (text) => URL.canParse(text, 'https://base.example'),
};

/** Lengths are in code points. */
export function findTextFaults({ minLength = 0, maxLength = Infinity, pattern, format }: Schema, text: string) {
  const { length } = [...text];
  return [
    ...(text.isWellFormed() && !text.includes('\0') ? [] : ['is no text']),
    ...(length < minLength || length > maxLength ? [`has ${length} characters`] : []),
    ...(pattern === undefined || formOf(pattern).test(text) ? [] : [`does not match ${pattern}`]),
    ...(format === undefined || (isOfFormat[format]?.(text) ?? true) ? [] : [`is no ${format}`]),
  ];
}

const forms = new Map<string, RegExp>();

/** Compiled once; without a flag that would make it remember where it was. */
function formOf(pattern: string): RegExp {
  const form = forms.get(pattern) ?? new RegExp(pattern, 'u');
  forms.set(pattern, form);
  return form;
}

function findIntegerFaults(schema: Schema, value: number | bigint, at: string): string[] {
  if (typesOf(schema).includes('number')) return [];
  const { min, max } = boundsOf(schema);
  return value < min || value > max ? [`${at}: ${value} is not from ${min} to ${max}`] : [];
}

function findListFaults(schema: Schema, list: readonly Json[], components: Components, at: string): string[] {
  const { items, minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const distinct = new Set(list.map((item) => writeJson(item))).size;
  return [
    ...(list.length < minItems || list.length > maxItems ? [`${at}: has ${list.length} items`] : []),
    ...(uniqueItems && distinct < list.length ? [`${at}: repeats an item`] : []),
    ...(items === undefined ? [] : list.flatMap((item, i) => findFaults(items, item, components, `${at}.${i}`))),
  ];
}

/** A member that is not described is a fault also where a schema does not say so: the description is meant to be whole. */
function findObjectFaults(
  { properties = {}, required = [], additionalProperties = false }: Schema,
  object: Readonly<Record<string, Json>>,
  components: Components,
  at: string,
): string[] {
  const missing = required.filter((name) => !Object.hasOwn(object, name));
  return [
    ...missing.map((name) => `${at}: lacks ${name}`),
    ...Object.entries(object).flatMap(([name, member]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (schema === false || schema === undefined) return [`${at}: ${name} is not described`];
      return findFaults(schema, member, components, `${at}.${name}`);
    }),
  ];
}
