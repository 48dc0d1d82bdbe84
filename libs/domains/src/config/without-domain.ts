import type { DomainConfig } from '@pets/contracts';
import { canonicalName } from './canonical-name.js';

/**
 * A removed domain's entries go with it, the redirect of the platform's host to it too; what pointed to it would lead
 * nowhere. The same object when it had none.
 */
export function withoutDomain(config: DomainConfig, name: string): DomainConfig {
  const isIt = (written: string) => canonicalName(written) === name;
  const { primary, redirects } = config.domains;
  const kept = redirects.filter(({ from, to }) => !isIt(from) && !isIt(to));
  const losesPrimary = primary !== undefined && isIt(primary);
  if (!losesPrimary && kept.length === redirects.length) return config;
  if (losesPrimary) return { domains: { redirects: kept } };
  return { ...config, domains: { ...config.domains, redirects: kept } };
}
