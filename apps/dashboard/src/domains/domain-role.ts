import type { components } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { strings } from '../strings.js';
import { domainStrings } from './domain-strings.js';

type DomainConfig = components['schemas']['DomainConfig'];
type Named = Pick<Domain, 'name' | 'unicodeName'>;

/** Role of a domain in the configuration of its project. */
export function roleOf(domain: Named, config: DomainConfig | undefined): string {
  if (isNamed(config?.domains.primary, domain)) return domainStrings.primary;
  const redirect = config?.domains.redirects?.find(({ from }) => isNamed(from, domain));
  return redirect === undefined ? strings.none : domainStrings.redirectsTo(redirect.to);
}

/** The one of two domains that redirects to the other; undefined where none does. */
export function redirectingOf<Pair extends Named>(pair: readonly [Pair, Pair], config: DomainConfig): Pair | undefined {
  const redirects = config.domains.redirects ?? [];
  return pair.find((domain) => {
    const other = domain === pair[0] ? pair[1] : pair[0];
    return redirects.some(({ from, to }) => isNamed(from, domain) && isNamed(to, other));
  });
}

/** The configuration in which two domains have changed their roles. */
export function withSwapped([one, other]: readonly [Named, Named], config: DomainConfig): DomainConfig {
  const swap = (written: string) => (isNamed(written, one) ? other.name : isNamed(written, other) ? one.name : written);
  const { primary, redirects = [] } = config.domains;
  return {
    ...config,
    domains: {
      ...(primary !== undefined && { primary: swap(primary) }),
      redirects: redirects.map(({ from, to, status }) => ({ from: swap(from), to: swap(to), status })),
    },
  };
}

/** People may have written a name in Unicode. */
function isNamed(written: string | undefined, { name, unicodeName }: Named): boolean {
  return written?.toLowerCase() === name || written === unicodeName;
}
