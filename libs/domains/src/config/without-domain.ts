import type { DomainConfig } from '@pets/contracts';
import { canonicalName } from './canonical-name.js';

/** A removed domain's entries go with it; what pointed to it would lead nowhere. The same object when it had none. */
export function withoutDomain(config: DomainConfig, name: string): DomainConfig {
  const isIt = (written: string) => canonicalName(written) === name;
  const { primary, redirects } = config.domains;
  const kept = redirects.filter(({ from, to }) => !isIt(from) && !isIt(to));
  const losesPrimary = primary !== undefined && isIt(primary);
  if (!losesPrimary && kept.length === redirects.length) return config;
  return { domains: { ...(primary !== undefined && !losesPrimary && { primary }), redirects: kept } };
}
