/**
 * What a certificate is called in renewal information and in the order that replaces it. RFC 9773 §4.1: authority key
 * identifier and DER-encoded serial number, each base64url without padding, with a dot between.
 * @param keyIdentifier hex, the `keyIdentifier` field of the authority key identifier extension
 * @param serialNumber hex, with or without the zero byte that DER puts before a high bit
 */
export function certificateIdentifier(keyIdentifier: string, serialNumber: string): string {
  return `${base64url(bytesOf(keyIdentifier))}.${base64url(derInteger(bytesOf(serialNumber)))}`;
}

/** X.690 §8.3.2: as few bytes as will do, the first bit being the sign. Of zero alone the last byte stays, `slice(-1)`. */
function derInteger(bytes: readonly number[]): readonly number[] {
  const significant = bytes.slice(bytes.findIndex((byte) => byte !== 0));
  return (significant[0] ?? 0) > 0x7f ? [0, ...significant] : significant;
}

function bytesOf(hex: string): readonly number[] {
  const padded = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (padded.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

function base64url(bytes: readonly number[]): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
