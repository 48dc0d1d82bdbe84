/**
 * The header fields of a response that only some visitors may get: no cache keeps it, and no other origin reads or embeds it, not
 * even another site of the same platform domain, whose pages send the cookie along. What the site itself sets for other origins
 * stays, but for the permission to all.
 * @param list names in lower case and values, alternately
 */
export function withPrivateFields(list: readonly string[]): string[] {
  const fields: string[] = [];
  let vary = 'cookie';
  let resourcePolicy = 'same-origin';
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]];
    if (name === 'vary') vary = `${value}, cookie`;
    else if (name === 'cross-origin-resource-policy') resourcePolicy = value;
    else if (name === 'cache-control' || (name === 'access-control-allow-origin' && value === '*')) continue;
    else fields.push(name, value);
  }
  return fields.concat(
    ...['cache-control', 'private, no-store'],
    ...['vary', vary],
    ...['cross-origin-resource-policy', resourcePolicy],
  );
}
