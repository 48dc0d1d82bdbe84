/**
 * How people read a domain name: in Unicode, followed by the form that DNS has (punycode) where that is another one. Never
 * in Unicode alone, since names that look the same may be different ones, and records are created in the form of DNS.
 */
export function displayName({ name, unicodeName }: { readonly name: string; readonly unicodeName: string }): string {
  return unicodeName === name ? name : `${unicodeName} (${name})`;
}
