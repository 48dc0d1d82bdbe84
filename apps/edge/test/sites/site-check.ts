import { createHash } from 'node:crypto';
import { freePort } from '@pets/testing';
import { EdgeFixture, siteRoute } from '../edge-fixture.js';
import {
  addressesOf,
  addressOf,
  findBrokenReferences,
  pagesOf,
  unknownAddresses,
  type SiteFiles,
} from './built-site.js';
import { Crawler, type Ask, type Redirect } from './crawler.js';

/** A query that a redirect has to keep. */
const QUERY = '?from=a%20b';

/** An edge whose visitors reach it at its own port, which redirects contain. */
export async function startEdge(): Promise<EdgeFixture> {
  const fixture = await EdgeFixture.build();
  const port = String(await freePort());
  await fixture.startEdge({ EDGE_HTTPS_PORT: port, PUBLIC_HTTPS_PORT: port });
  return fixture;
}

/** A published site, and what a visitor sees of it. */
export class SiteCheck {
  readonly #crawler: Crawler;
  readonly #origin: string;
  readonly #files: SiteFiles;
  readonly #leave: () => void;

  private constructor(origin: string, name: string, files: SiteFiles, ask: Ask, leave: () => void) {
    this.#origin = origin;
    this.#files = files;
    this.#crawler = new Crawler(origin, [`https://${hostOf(name)}`], ask);
    this.#leave = leave;
  }

  /** Publishes a site at the host that it was built for. */
  static async publish(fixture: EdgeFixture, name: string, files: SiteFiles): Promise<SiteCheck> {
    const host = hostOf(name);
    const contentHash = createHash('sha256').update(name).digest('hex');
    await fixture.deploy(Object.fromEntries(files), contentHash);
    await fixture.issue(name, host);
    await fixture.api.publishAndSettle({ [host]: siteRoute(name, contentHash) });
    const origin = `https://${host}:${fixture.edge.ports().https}`;
    const agent = fixture.visitor.keepAliveAgent();
    const ask: Ask = async ({ host: withPort, pathname, search }) => {
      const path = pathname + search;
      const { status, headers, bytes } = await fixture.visitor.secure(host, { path, host: withPort }, agent);
      const [mediaType = ''] = (headers['content-type'] ?? '').split(';', 1);
      return { status, location: headers.location, mediaType, bytes };
    };
    return new SiteCheck(origin, name, files, ask, () => agent.destroy());
  }

  leave(): void {
    this.#leave();
  }

  /** Visits each page at each of its addresses. @returns those that show something else, or show it at an address too many */
  async findWrongPages(): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const { path, addresses, shownAt } of pagesOf(this.#files)) {
      for (const address of addresses) {
        const { status, bytes, url } = await this.#crawler.visit(address + QUERY);
        const isRight = status === 200 && shownAt.includes(url.pathname) && this.#isFile(path, bytes);
        if (!isRight) wrong.push(`${address} for ${path}: ${status} at ${url.pathname}`);
      }
    }
    return wrong;
  }

  /** Visits what pages refer to: at each of their addresses, and as a fallback below each folder. */
  findBrokenReferences(): Promise<readonly string[]> {
    return findBrokenReferences(this.#crawler, addressesOf(this.#files));
  }

  /** @returns files that are not what their address answers */
  async findWrongFiles(): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const [path, content] of this.#files) {
      const { status, bytes } = await this.#crawler.visit(addressOf(path));
      if (status !== 200 || !content.equals(bytes)) wrong.push(`${path}: ${status}`);
    }
    return wrong;
  }

  /** Visits addresses that no file has. @returns those that do not show the page, if there is one */
  async findWrongFallbacks(page: string | undefined, status: number): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const address of unknownAddresses(this.#files)) {
      const visit = await this.#crawler.visit(address);
      const isShown = page === undefined || this.#isFile(page, visit.bytes);
      if (visit.status !== status || visit.redirects.length > 0 || !isShown) wrong.push(`${address}: ${visit.status}`);
    }
    return wrong;
  }

  /** @returns redirects of pages that are not permanent, lead to another host or port, or lose the query */
  async findWrongRedirects(): Promise<readonly Redirect[]> {
    await this.findWrongPages();
    const redirects = await this.#crawler.redirects();
    if (redirects.length === 0) throw new Error('no page has another address');
    return redirects.filter(({ from, status, location }) => {
      const to = URL.canParse(location) ? new URL(location) : undefined;
      return status !== 308 || to?.origin !== this.#origin || to.search !== from.search;
    });
  }

  #isFile(path: string, bytes: Buffer): boolean {
    return this.#files.get(path)?.equals(bytes) === true;
  }
}

function hostOf(name: string): string {
  return `${name}.test`;
}
