/** Whether another stream may be opened. `replace`: once a stream of that organization is closed. */
export type Admission =
  | { readonly kind: 'admit' }
  | { readonly kind: 'replace'; readonly organizationId: string }
  | { readonly kind: 'limit_reached'; readonly limit: number }
  | { readonly kind: 'full' };

/**
 * Shares the streams that a server can keep open. An organization may have as many as its limit, and at most half of all.
 * When all are open, an organization below its fair share (all, divided by the organizations that have one or request one)
 * replaces a stream of the organization with the most, so that no organization can keep others out.
 */
export class StreamQuota {
  readonly #capacity: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get total(): number {
    return this.#total;
  }

  countOf(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0;
  }

  admit(organizationId: string, limit: number): Admission {
    const own = this.countOf(organizationId);
    const max = Math.min(limit, Math.ceil(this.#capacity / 2));
    if (own >= max) return { kind: 'limit_reached', limit: max };
    if (this.#total < this.#capacity) return { kind: 'admit' };
    const organizations = this.#counts.size + (own === 0 ? 1 : 0);
    const largest = this.#largest();
    if (own >= Math.floor(this.#capacity / organizations) || largest === undefined) return { kind: 'full' };
    return { kind: 'replace', organizationId: largest };
  }

  acquire(organizationId: string): void {
    this.#counts.set(organizationId, this.countOf(organizationId) + 1);
    this.#total += 1;
  }

  release(organizationId: string): void {
    const left = this.countOf(organizationId) - 1;
    if (left > 0) this.#counts.set(organizationId, left);
    else this.#counts.delete(organizationId);
    this.#total -= 1;
  }

  #largest(): string | undefined {
    let found: string | undefined;
    for (const [organizationId, count] of this.#counts) {
      if (found === undefined || count > this.countOf(found)) found = organizationId;
    }
    return found;
  }
}
