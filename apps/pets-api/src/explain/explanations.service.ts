import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@pets/async';
import {
  chooseRow,
  MAX_HOPS,
  redirectHostOf,
  wildcardOf,
  type EdgeRoute,
  type Explanation,
  type Hop,
} from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError, type FileStorage, type Logger } from '@pets/platform';
import { chooseFile, locationOf, locationOfChoice, openStoredSite, parseRequestedPath, type Site } from '@pets/sites';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE, LOG, STORAGE } from '../platform/providers.js';

const STORAGE_TIMEOUT_MS = 5_000;

/**
 * Says what a browser gets at a URL, from the published routes and the stored rules of deployments: with the functions that
 * edges use, and without a request to one.
 */
@Injectable()
export class Explanations {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PUBLIC_HTTPS_PORT'>,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(STORAGE) private readonly storage: FileStorage,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @throws RequestError `not_found` when the project does not serve the host, `unavailable` when the storage is silent */
  async explain(projectId: string, url: string): Promise<Explanation> {
    const sites = new Map<string, Promise<Site>>();
    const openSite = (contentHash: string) => {
      const opened = sites.get(contentHash) ?? openStoredSite(this.storage, contentHash);
      sites.set(contentHash, opened);
      return opened;
    };
    const hops: Hop[] = [];
    const visited = new Set<string>();
    for (let at = new URL(url); hops.length < MAX_HOPS;) {
      const route = await this.findRoute(projectId, hostOf(at));
      if (route === undefined && hops.length === 0)
        throw new RequestError('not_found', `The project does not serve the host ${hostOf(at)}.`);
      if (route === undefined) return { hops, end: 'other_host' };
      const hop = await this.answer(at, route, openSite);
      hops.push(hop);
      if (hop.location === null) return { hops, end: 'answer' };
      visited.add(keyOf(at));
      at = new URL(hop.location);
      if (visited.has(keyOf(at))) return { hops, end: 'loop' };
    }
    return { hops, end: 'too_many_redirects' };
  }

  private async answer(url: URL, route: EdgeRoute, openSite: (contentHash: string) => Promise<Site>): Promise<Hop> {
    const { PUBLIC_HTTPS_PORT: publicHttpsPort } = this.config;
    try {
      const answering = answerOf(url, route, { openSite, publicHttpsPort });
      return await withTimeout(answering, STORAGE_TIMEOUT_MS, 'reading a deployment');
    } catch (error) {
      this.log.error({ err: error, host: url.hostname }, 'deployment not read; URL not explained');
      throw new RequestError('unavailable', 'The deployment cannot be read at the moment.', { 'retry-after': '5' });
    }
  }

  /** The published route of a host of this project: its own, or that of the wildcard that covers it. */
  private async findRoute(projectId: string, host: string): Promise<EdgeRoute | undefined> {
    const wildcard = wildcardOf(host);
    const rows = await this.db
      .selectFrom('edge_routes')
      .select(['host', 'route'])
      .where('host', 'in', wildcard === undefined ? [host] : [host, wildcard])
      .where('project_id', '=', projectId)
      .execute();
    const routeOf = (wanted: string | undefined) => rows.find((row) => row.host === wanted)?.route ?? undefined;
    const [exact, covering] = [routeOf(host), routeOf(wildcard)];
    const chosen = chooseRow(exact, covering);
    return chosen === 'exact' ? exact : chosen && covering;
  }
}

/** The port does not matter: an edge has one for each scheme. */
function keyOf(url: URL): string {
  return `${url.protocol}//${hostOf(url)}${url.pathname}${url.search}`;
}

interface Answering {
  readonly openSite: (contentHash: string) => Promise<Site>;
  readonly publicHttpsPort: number;
}

type Answer = Omit<Hop, 'url' | 'needsLink'>;

/** Statuses of the pages that edges have of their own (`apps/edge/src/http/page-texts.ts`). */
const pageStatuses = { malformed: 400, not_found: 404, suspended: 410, not_published: 503, certificate_pending: 503 };

/**
 * The answer of an edge to a GET of a URL with a route; of a protected site, to a visitor with a link.
 * @throws Error when the storage does not answer
 */
async function answerOf(url: URL, route: EdgeRoute, answering: Answering): Promise<Hop> {
  const needsLink = url.protocol === 'https:' && route.serve?.kind === 'site' && route.serve.linkKey !== undefined;
  return { url: url.href, ...(await decide(url, route, answering)), needsLink };
}

/** Lower case, without a dot at its end. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

async function decide(url: URL, { serve, certificateId }: EdgeRoute, answering: Answering): Promise<Answer> {
  const target = url.pathname + url.search;
  const redirectTo = (status: number, host: string, reason: Hop['reason']) =>
    redirect(status, reason, locationOf(host, answering.publicHttpsPort, target));
  if (serve?.kind === 'suspended') return page('suspended');
  if (url.protocol === 'http:' && serve?.kind === 'redirect')
    return redirectTo(serve.status, redirectHostOf(serve, hostOf(url)), 'domain_redirect');
  if (certificateId === null) return page('certificate_pending');
  // An origin is no host, so nobody can ask for its row.
  if (serve === null || serve.kind === 'excluded' || serve.kind === 'origin') return page('not_published');
  if (url.protocol === 'http:') return redirectTo(308, hostOf(url), 'https');
  if (serve.kind === 'redirect') return redirectTo(serve.status, redirectHostOf(serve, hostOf(url)), 'domain_redirect');
  if (serve.kind === 'application')
    return { status: null, reason: 'application', rule: null, file: null, location: null };
  const requested = parseRequestedPath(target);
  if (requested === undefined) return page('malformed');
  const site = await answering.openSite(serve.contentHash);
  const choice = await chooseFile(site, requested, serve.trailingSlash ?? 'auto');
  const rule = choice.rule === undefined ? null : presentRule(choice.rule);
  if (choice.kind === 'redirect') {
    const location = locationOfChoice(choice, hostOf(url), answering.publicHttpsPort);
    return { ...redirect(choice.status, rule === null ? 'address' : 'rule', location), rule };
  }
  if (!(await site.find([choice.path])).has(choice.path)) return page('not_found');
  const reason = rule !== null ? 'rule' : choice.status === 404 ? 'not_found_page' : 'file';
  return { status: choice.status, reason, rule, file: choice.path, location: null };
}

function redirect(status: number, reason: Hop['reason'], location: string): Answer {
  return { status, reason, rule: null, file: null, location };
}

function page(reason: keyof typeof pageStatuses): Answer {
  return { status: pageStatuses[reason], reason, rule: null, file: null, location: null };
}

function presentRule({ line, from, to, status }: NonNullable<Hop['rule']>): NonNullable<Hop['rule']> {
  return { line, from, to, status };
}
