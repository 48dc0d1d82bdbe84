import { parseDomainName, type NamePolicy } from '../names/parse-domain-name.js';

/** Comparing asks what a name is, not whose it may be. */
const anyName: NamePolicy = { platformDomain: '', allowSpecialUseNames: true };

/** A name in a configuration, which is stored as people write it, as it is compared. What is no name stays as it is. */
export function canonicalName(written: string): string {
  const parsed = parseDomainName(written, anyName);
  return parsed.ok ? parsed.name : written;
}
