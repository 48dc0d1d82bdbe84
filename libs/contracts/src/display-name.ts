/**
 * A domain name for people: in Unicode, followed by its ASCII form if that differs. Never in Unicode alone, since different
 * names may look the same, and DNS records need the ASCII form. This file does not use zod, so that the dashboard can import
 * it: zod evaluates code, which the dashboard's content security policy refuses.
 */
export function displayName({ name, unicodeName }: { readonly name: string; readonly unicodeName: string }): string {
  return unicodeName === name ? name : `${unicodeName} (${name})`;
}
