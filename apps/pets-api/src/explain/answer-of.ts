import { redirectHostOf, type EdgeRoute, type Hop } from '@pets/contracts';
import { chooseFile, locationOf, locationOfChoice, parseRequestedPath, type Site } from '@pets/sites';

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
export async function answerOf(url: URL, route: EdgeRoute, answering: Answering): Promise<Hop> {
  const needsLink = url.protocol === 'https:' && route.serve?.kind === 'site' && route.serve.linkKey !== undefined;
  return { url: url.href, ...(await decide(url, route, answering)), needsLink };
}

/** Lower case, without a dot at its end. */
export function hostOf({ hostname }: URL): string {
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
