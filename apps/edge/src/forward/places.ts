/** The payer of a request: everything that is limited is limited for these two. */
export interface PlaceOwner {
  readonly organizationId: string;
  readonly projectId: string;
}

/** A request in progress that others may need the place of. */
export interface Evictable {
  /** Ends it at once, in favour of others. */
  evict(): void;
}

interface Held<Holder> {
  readonly holders: Set<Holder>;
  count: number;
}

/**
 * The places of one process for requests that are being forwarded. One project has at most a quarter of them, one organization a
 * half, so that applications that do not answer, or answer for hours, leave room for others. WebSockets and other long ones lose
 * their place first when the process has none left.
 */
export class Places<Holder extends PlaceOwner & Evictable> {
  readonly #perProject: number;
  readonly #perOrganization: number;
  readonly #projects = new Map<string, number>();
  readonly #organizations = new Map<string, Held<Holder>>();

  /** @param total what the process has room for */
  constructor(total: number) {
    this.#perProject = Math.max(1, Math.floor(total / 4));
    this.#perOrganization = Math.max(1, Math.floor(total / 2));
  }

  /** @returns false when the owner has as many as it may */
  take({ organizationId, projectId }: PlaceOwner): boolean {
    const ofProject = this.#projects.get(projectId) ?? 0;
    const organization = this.#organizations.get(organizationId) ?? { holders: new Set(), count: 0 };
    if (ofProject >= this.#perProject || organization.count >= this.#perOrganization) return false;
    this.#projects.set(projectId, ofProject + 1);
    organization.count += 1;
    this.#organizations.set(organizationId, organization);
    return true;
  }

  /** Gives a place back. */
  release(holder: Holder): void {
    const ofProject = (this.#projects.get(holder.projectId) ?? 1) - 1;
    if (ofProject === 0) this.#projects.delete(holder.projectId);
    else this.#projects.set(holder.projectId, ofProject);
    const organization = this.#organizations.get(holder.organizationId);
    if (organization === undefined) return;
    organization.count -= 1;
    organization.holders.delete(holder);
    if (organization.count === 0) this.#organizations.delete(holder.organizationId);
  }

  /** The holder of a place has become a WebSocket or another long request. */
  becameLong(holder: Holder): void {
    this.#organizations.get(holder.organizationId)?.holders.add(holder);
  }

  /** Ends the oldest long request of the organization that has most of them. @returns false when there is none */
  evictLong(): boolean {
    let most: Held<Holder> | undefined;
    for (const held of this.#organizations.values()) if (held.holders.size > (most?.holders.size ?? 0)) most = held;
    const [oldest] = most?.holders ?? [];
    if (oldest === undefined) return false;
    most?.holders.delete(oldest);
    oldest.evict();
    return true;
  }
}
