import { referencesOfPage, referencesOfSitemap, referencesOfStyle, type Reference } from './references.js';

/** An answer to one request. */
interface Answered {
  readonly status: number;
  readonly location: string | undefined;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Sends a request. */
export type Ask = (url: URL) => Promise<Answered>;

export interface Redirect {
  readonly from: URL;
  readonly status: number;
  readonly location: string;
}

/** The last answer, after redirects. */
export interface Visit extends Answered {
  readonly url: URL;
  readonly redirects: readonly Redirect[];
}

/** The limit for one address; a browser gives up after 20. */
const MAX_REDIRECTS = 5;
const mediaTypes: Readonly<Partial<Record<Reference['use'], RegExp>>> = {
  script: /^(?:text|application)\/javascript$/,
  style: /^text\/css$/,
};

/** Visits a site as a browser does, and requests each address once. */
export class Crawler {
  readonly #origin: string;
  readonly #aliases: readonly string[];
  readonly #ask: Ask;
  readonly #visits = new Map<string, Promise<Visit>>();
  readonly #checked = new Set<string>();

  /** @param aliases other origins whose addresses lead to the same site, such as the one that it was built for */
  constructor(origin: string, aliases: readonly string[], ask: Ask) {
    this.#origin = origin;
    this.#aliases = aliases;
    this.#ask = ask;
  }

  /** @param target path and query. @throws Error when redirects do not end */
  visit(target: string): Promise<Visit> {
    const known = this.#visits.get(target) ?? this.#follow(new URL(target, this.#origin));
    this.#visits.set(target, known);
    return known;
  }

  /** Every redirect so far. */
  async redirects(): Promise<readonly Redirect[]> {
    return (await Promise.all(this.#visits.values())).flatMap((visit) => visit.redirects);
  }

  /**
   * Finds what a page refers to and the site does not answer, or answers as something else.
   * @returns their paths, but for those that were found before
   */
  async findBroken(page: Visit): Promise<readonly string[]> {
    const broken: string[] = [];
    for (const { url, use } of referencesOf(page)) {
      if (url.origin !== this.#origin && !this.#aliases.includes(url.origin)) continue;
      const target = url.pathname + url.search;
      const key = `${use} ${target}`;
      if (this.#checked.has(key)) continue;
      this.#checked.add(key);
      const visit = await this.visit(target);
      if (visit.status !== 200 || mediaTypes[use]?.test(visit.mediaType) === false) broken.push(target);
      else if (visit.mediaType === 'text/css') broken.push(...(await this.findBroken(visit)));
    }
    return broken;
  }

  async #follow(start: URL): Promise<Visit> {
    const redirects: Redirect[] = [];
    for (let url = start; redirects.length <= MAX_REDIRECTS;) {
      const answer = await this.#ask(url);
      if (answer.status < 300 || answer.status > 399 || answer.location === undefined)
        return { ...answer, url, redirects };
      redirects.push({ from: url, status: answer.status, location: answer.location });
      url = new URL(answer.location, url);
      if (url.origin !== this.#origin) throw new Error(`${start.href} leads away, to ${url.href}`);
    }
    throw new Error(`${start.href} leads to more than ${MAX_REDIRECTS} redirects`);
  }
}

function referencesOf({ mediaType, bytes, url }: Visit): readonly Reference[] {
  const text = bytes.toString();
  if (mediaType === 'text/html') return referencesOfPage(text, url);
  if (mediaType === 'text/css') return referencesOfStyle(text, url);
  return /^(?:text|application)\/xml$/.test(mediaType) ? referencesOfSitemap(text, url) : [];
}
