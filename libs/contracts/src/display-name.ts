/**
 * A domain name for people: in Unicode, followed by its ASCII form if that differs. Never in Unicode alone, since different
 * names may look the same, and DNS records need the ASCII form.
 */
export function displayName({ name, unicodeName }: { readonly name: string; readonly unicodeName: string }): string {
  return unicodeName === name ? name : `${unicodeName} (${name})`;
}
