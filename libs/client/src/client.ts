import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { parseExactly, stringifyWithBigInt } from './exact-json.js';
import type { components, paths } from './schema.js';

export type PetsClient = Client<paths, 'application/json'>;

export interface PetsClientOptions {
  /** Address of the API: `https://api.pets.example`. */
  readonly baseUrl: string;
  /** An API key, or the key of a session; null if `fetch` authenticates requests, as with a cookie. */
  readonly apiKey: string | null;
  /** Instead of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of the HTTP interface, typed by its description. Integers of format int64 keep all their digits: they are
 * numbers as long as a number holds them, and `bigint` beyond that; either may be sent.
 * @example
 * const pets = createPetsClient({ baseUrl, apiKey });
 * const { data: pet, error } = await pets.POST('/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
 */
export function createPetsClient({ baseUrl, apiKey, fetch }: PetsClientOptions): PetsClient {
  const client = createClient<paths, 'application/json'>({
    baseUrl,
    headers: authorizationOf(apiKey),
    bodySerializer: (body: unknown) => (body instanceof Blob ? body : stringifyWithBigInt(body)),
    ...(fetch !== undefined && { fetch }),
  });
  client.use(exactAnswers);
  return client;
}

export function authorizationOf(apiKey: string | null): { readonly authorization?: string } {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

/** openapi-fetch reads an answer of known length by `json()`, and only then: so it gets one of known length. */
const exactAnswers: Middleware = {
  async onResponse({ response, options }) {
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (!response.ok || !isJson || options.parseAs !== 'json') return undefined;
    const text = await response.text();
    if (text === '') return undefined; // HEAD
    const exact = new Response(text, response);
    exact.headers.set('content-length', String(new TextEncoder().encode(text).length));
    return Object.assign(exact, { json: async () => parseExactly(text) });
  },
};

export interface PageResponse<Item> {
  readonly data?: readonly Item[];
  readonly response: Response;
}

/** The cursor of the next page, from the `Link` header (RFC 8288); null on the last page. */
export function nextCursor({ headers }: Response): string | null {
  const target = /<([^<>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  // The target may be relative. Only its query matters.
  return target === undefined ? null : new URL(target, 'http://api.invalid').searchParams.get('cursor');
}

/** Reads a complete list, page by page. For lists that a plan keeps short, or up to `maxPages`. */
export async function readAllPages<Item>(
  readPage: (query: { readonly cursor?: string }) => Promise<PageResponse<Item>>,
  maxPages = Infinity,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let query: { readonly cursor?: string } = {};
  for (let page = 0; page < maxPages; page++) {
    const { data = [], response } = await readPage(query);
    items.push(...data);
    const cursor = nextCursor(response);
    if (cursor === null) break;
    query = { cursor };
  }
  return items;
}

/** The project whose visitors an application answers, or the one domain of it. */
export interface OriginPlace {
  readonly projectId: string;
  /** Name or id; undefined for the project. */
  readonly domain?: string | undefined;
}

const OF_PROJECT = '/v1/projects/{projectId}/origin';
const OF_DOMAIN = '/v1/projects/{projectId}/domains/{domain}/origin';

/** The requests about the origin of a project, or about that of a domain: they have the same bodies and answers. */
export function originRequests(client: PetsClient, { projectId, domain }: OriginPlace) {
  const ofProject = { path: { projectId } };
  const ofDomain = { path: { projectId, domain: domain ?? '' } };
  const isOfProject = domain === undefined;
  return {
    read: (signal?: AbortSignal) => {
      const abort = signal === undefined ? {} : { signal };
      return isOfProject
        ? client.GET(OF_PROJECT, { params: ofProject, ...abort })
        : client.GET(OF_DOMAIN, { params: ofDomain, ...abort });
    },
    put: (body: components['schemas']['NewOrigin']) =>
      isOfProject
        ? client.PUT(OF_PROJECT, { params: ofProject, body })
        : client.PUT(OF_DOMAIN, { params: ofDomain, body }),
    test: (idempotencyKey?: string) => {
      const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      return isOfProject
        ? client.POST(`${OF_PROJECT}/test`, { params: { ...ofProject, header } })
        : client.POST(`${OF_DOMAIN}/test`, { params: { ...ofDomain, header } });
    },
    remove: () =>
      isOfProject ? client.DELETE(OF_PROJECT, { params: ofProject }) : client.DELETE(OF_DOMAIN, { params: ofDomain }),
  };
}
