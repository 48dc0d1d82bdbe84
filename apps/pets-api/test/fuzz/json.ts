/** JSON with whole numbers of any size. */
export type Json =
  null | boolean | number | bigint | string | Decimal | RawJson | readonly Json[] | { readonly [name: string]: Json };

/** A number with a fraction or an exponent, as it was written. */
export class Decimal {
  constructor(readonly source: string) {}
}

/** Text that is sent as it stands, also where no value would be written so. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** @param twice the member that is given twice, counted through the whole value; none if left out */
export function writeJson(value: Json, twice = -1): string {
  let members = 0;
  const write = (each: Json): string => {
    if (each instanceof RawJson) return each.text;
    if (each instanceof Decimal) return each.source;
    if (typeof each === 'bigint') return String(each);
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    if (isList(each)) return `[${each.map(write).join(',')}]`;
    const written = Object.entries(each).map(([name, member]) => {
      const isDoubled = members++ === twice;
      const text = `${JSON.stringify(name)}:${write(member)}`;
      return isDoubled ? `${text},${text}` : text;
    });
    return `{${written.join(',')}}`;
  };
  return write(value);
}

/** How many members all objects in a value have. */
export function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null || value instanceof RawJson || value instanceof Decimal) return 0;
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countMembers(item), 0);
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countMembers(member), 0);
}

/** Parses with every digit. @throws SyntaxError */
export function parseJson(text: string): Json {
  return JSON.parse(text, (_name, value: Json, { source }: { source?: string } = {}): Json => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (!/^-?\d+$/.test(source)) return new Decimal(source);
    return Number.isSafeInteger(value) ? value : BigInt(source);
  }) as Json;
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof RawJson) && !(value instanceof Decimal) && !isList(value);
}

/** `Array.isArray`, for lists that are read-only. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
