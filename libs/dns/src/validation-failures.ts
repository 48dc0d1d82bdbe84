import { registrableDomainOf } from '@pets/domains';

const KEPT_MS = 600_000;
/** Failures kept for each resolver. A new one replaces the oldest. */
const MAX_KEPT = 1_000;
/** A resolver that fails alone for as many registered domains is broken itself. */
const SEVERAL = 3;

interface Failure {
  readonly until: number;
  /** Whether another resolver has answered for the domain since. */
  isAlone: boolean;
}

/**
 * Registered domains for which the DNSSEC validation of a resolver failed in the last ten minutes. A resolver whose validation
 * fails for several domains that others answer for has a problem of its own, as a wrong clock or an old trust anchor: that
 * concerns the operator, and the owners of the domains can do nothing about it.
 */
export class ValidationFailures {
  /** Failures by resolver and registered domain, the oldest first. */
  readonly #failures: ReadonlyMap<string, Map<string, Failure>>;
  readonly #now: () => number;

  constructor(resolvers: readonly string[], now = () => performance.now()) {
    this.#failures = new Map(resolvers.map((resolver) => [resolver, new Map()]));
    this.#now = now;
  }

  /** @returns whether the zone may be at fault, and not the resolver alone */
  failed(resolver: string, name: string): boolean {
    const domain = registrableDomainOf(name) ?? name;
    const failures = this.#failures.get(resolver) ?? new Map<string, Failure>();
    const isAlone = failures.get(domain)?.isAlone ?? false;
    failures.delete(domain);
    failures.set(domain, { until: this.#now() + KEPT_MS, isAlone });
    const [oldest] = failures.keys();
    if (failures.size > MAX_KEPT && oldest !== undefined) failures.delete(oldest);
    const failsElsewhere = [...this.#failures.keys()].some((other) => other !== resolver && this.#has(other, domain));
    return failsElsewhere || this.#countAlone(failures) < SEVERAL;
  }

  /** A resolver has answered for a name. */
  answered(resolver: string, name: string): void {
    if ([...this.#failures.values()].every(({ size }) => size === 0)) return;
    const domain = registrableDomainOf(name) ?? name;
    for (const [other, failures] of this.#failures) {
      const failure = failures.get(domain);
      if (other === resolver) failures.delete(domain);
      else if (failure !== undefined) failure.isAlone = true;
    }
  }

  /** How many domains each resolver alone fails for. */
  countAlone(): readonly { readonly resolver: string; readonly count: number }[] {
    return [...this.#failures].map(([resolver, failures]) => ({ resolver, count: this.#countAlone(failures) }));
  }

  #has(resolver: string, domain: string): boolean {
    return (this.#failures.get(resolver)?.get(domain)?.until ?? 0) > this.#now();
  }

  #countAlone(failures: ReadonlyMap<string, Failure>): number {
    const now = this.#now();
    return [...failures.values()].filter(({ until, isAlone }) => isAlone && until > now).length;
  }
}
