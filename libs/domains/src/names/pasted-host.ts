/** The host in what somebody has pasted, or why there is none. */
export type PastedHost = { readonly ok: true; readonly host: string } | { readonly ok: false; readonly reason: string };

/** What one does not see and copies along: zero-width characters, soft hyphens, marks of direction. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g;
/** What input methods write for a dot (UTS #46 §4 maps these). */
const dots = /[\u3002\uff0e\uff61]/g;
const scheme = /^[a-z][a-z0-9+.-]*:\/\/|^\/\//;

/**
 * Takes the host out of what people paste: in any case, with spaces around it, a final dot, or a whole URL with scheme,
 * port and path.
 */
export function hostInPasted(input: string): PastedHost {
  const text = input.replaceAll(invisible, '').trim().normalize('NFC').toLowerCase().replaceAll(dots, '.');
  const authority = text.replace(scheme, '').split(/[/?#\\]/, 1)[0] ?? '';
  if (authority.includes('@'))
    return { ok: false, reason: 'This is an e-mail or user address. Enter only the host name.' };
  if (isBracketedOrBareIpv6(authority)) return { ok: false, reason: 'An IP address is not a domain name.' };
  const host = authority.replace(/:\d{0,5}$/, '').replace(/\.$/, '');
  if (host === '') return { ok: false, reason: 'The name is empty.' };
  if (/[\s:%]/.test(host))
    return { ok: false, reason: 'Enter only the host name, such as docs.example.com, or the URL of the site.' };
  return { ok: true, host };
}

function isBracketedOrBareIpv6(authority: string): boolean {
  return (
    /^\[[0-9a-f:.%]+\](?::\d+)?$/.test(authority) ||
    (/^[0-9a-f:.]+$/.test(authority) && authority.split(':').length > 2)
  );
}
