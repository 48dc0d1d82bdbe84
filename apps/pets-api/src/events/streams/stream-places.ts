/** Whether another stream may be opened. `replace`: when a stream of that organization is closed. */
export type Admission =
  | { readonly kind: 'admit' }
  | { readonly kind: 'replace'; readonly organizationId: string }
  | { readonly kind: 'limit_reached'; readonly limit: number }
  | { readonly kind: 'full' };

/**
 * Who holds how many of the streams that a server can keep open. An organization may have as many as its limit says, and
 * half of all at most. When all are open, an organization below its fair share (all, divided by the organizations that have
 * one or ask for one) takes one from the organization with the most, so that nobody can keep others out.
 */
export class StreamPlaces {
  private readonly counts = new Map<string, number>();
  private taken = 0;

  constructor(private readonly capacity: number) {}

  get total(): number {
    return this.taken;
  }

  countOf(organizationId: string): number {
    return this.counts.get(organizationId) ?? 0;
  }

  admit(organizationId: string, limit: number): Admission {
    const own = this.countOf(organizationId);
    const most = Math.min(limit, Math.ceil(this.capacity / 2));
    if (own >= most) return { kind: 'limit_reached', limit: most };
    if (this.taken < this.capacity) return { kind: 'admit' };
    const organizations = this.counts.size + (own === 0 ? 1 : 0);
    const largest = this.largest();
    if (own >= Math.floor(this.capacity / organizations) || largest === undefined) return { kind: 'full' };
    return { kind: 'replace', organizationId: largest };
  }

  take(organizationId: string): void {
    this.counts.set(organizationId, this.countOf(organizationId) + 1);
    this.taken += 1;
  }

  release(organizationId: string): void {
    const left = this.countOf(organizationId) - 1;
    if (left > 0) this.counts.set(organizationId, left);
    else this.counts.delete(organizationId);
    this.taken -= 1;
  }

  private largest(): string | undefined {
    let found: string | undefined;
    for (const [organizationId, count] of this.counts) {
      if (found === undefined || count > this.countOf(found)) found = organizationId;
    }
    return found;
  }
}
