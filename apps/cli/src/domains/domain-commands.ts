import { randomUUID } from 'node:crypto';
import { displayName, type Domain, type DomainHistoryEntry, type ListDomainsQuery } from '@pets/contracts';
import type { Api } from '../api/api.js';
import type { Command } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { findProject } from '../projects/find-project.js';
import { paragraphs, pluralize, shellWord, titled } from '../terminal/format.js';
import { confirm } from '../terminal/prompt.js';
import { table } from '../terminal/table.js';
import { nextCommands, reportDomain } from './domain-outcome.js';
import { presentDomain, presentIssues, presentRecords } from './present-domain.js';
import { readDomain, watchDomain } from './watch-domain.js';

/** Labels that are stored with a domain, to find it again. */
interface LabelOptions {
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type AddOptions = LabelOptions & { readonly pair?: boolean };

/** Changes to a domain; `channel: false` makes it serve the active deployment. */
export type UpdateOptions = LabelOptions & { readonly channel?: string | false };

export const addDomain: Command<[name: string, options: AddOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { pair = false, externalId, metadata },
) => {
  const projectId = await findProjectId();
  const params = { path: { projectId }, header: { 'Idempotency-Key': randomUUID() } };
  const added: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains', { params, body: { name, pair, externalId, metadata } }),
  );
  terminal.progress(`${displayName(added)} added: ${added.state}`);
  const twin = await readPairedDomain(api, added);
  const all = twin === null ? [added] : [added, twin];
  const details = {
    result: { domain: added, twin },
    issues: all.flatMap((each) => each.issues),
    next: nextCommands(added, 'live'),
    text: paragraphs([
      ...all.map((each) => titled(displayName(each), presentRecords(each.records, terminal))),
      presentIssues(added.issues, terminal, added.records),
    ]),
  };
  const names = all.map(displayName).join(' and ');
  return report('done', 'added', `Added ${names}. Create the records at your DNS provider.`, details);
};

/** The filters of `pets domains list`. */
export type ListOptions = Pick<ListDomainsQuery, 'state' | 'q' | 'contains' | 'expiresBefore' | 'sort'> &
  LabelOptions & {
    readonly misconfigured?: true;
  };

export const listDomains: Command<[options: ListOptions]> = async (
  { api, findProjectId, terminal },
  { misconfigured, ...filters },
) => {
  const projectId = await findProjectId();
  const domains: readonly Domain[] = await api.allPages((page) =>
    api.http.GET('/v1/projects/{projectId}/domains', {
      params: { path: { projectId }, query: { ...filters, ...(misconfigured === true && { misconfigured }), ...page } },
    }),
  );
  const rows = domains.map(({ name, unicodeName, state, suspensions, certificate, issues }) => [
    displayName({ name, unicodeName }),
    suspensions.length > 0 ? `${state}, suspended` : state,
    certificate?.notAfter == null ? '' : terminal.time(certificate.notAfter),
    issues.map(({ code }) => code).join(', '),
  ]);
  const text = table(['NAME', 'STATE', 'CERTIFICATE UNTIL', 'ISSUES'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(domains.length, 'domain')}.`, { result: domains, text });
};

/** Changes what is stored with a domain, and the channel that it serves. Keys without a value are removed. */
export const updateDomain: Command<[name: string, options: UpdateOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { externalId, metadata = {}, channel },
) => {
  const projectId = await findProjectId();
  const keys = Object.entries(metadata).map(([key, value]) => [key, value === '' ? null : value]);
  const body = {
    ...(externalId !== undefined && { externalId: externalId === '' ? null : externalId }),
    metadata: Object.fromEntries(keys) as Record<string, string | null>,
    ...(channel !== undefined && { channel: channel === false ? null : channel }),
  };
  const params = { path: { projectId, domain: name } };
  const domain: Domain = await api.data(api.http.PATCH('/v1/projects/{projectId}/domains/{domain}', { params, body }));
  const rows = [
    ['channel', domain.channel ?? ''],
    ['external id', domain.externalId ?? ''],
    ...Object.entries(domain.metadata),
  ];
  const text = table(['KEY', 'VALUE'], rows, terminal.width);
  return report('done', 'updated', `Changed ${displayName(domain)}.`, { result: domain, text });
};

/** Succeeds in every state of the domain. */
export const showDomain: Command<[name: string]> = async (context, name) => {
  const domain = await readDomain(context.api, { projectId: await context.findProjectId(), domain: name });
  return reportDomain(context, domain, 'live', { status: 'done', reason: domain.state });
};

async function readPairedDomain(api: Api, { projectId, pairedWith }: Domain): Promise<Domain | null> {
  return pairedWith === null ? null : readDomain(api, { projectId, domain: pairedWith });
}

export interface RemovalOptions {
  readonly yes?: boolean;
  /** Whether the wildcard that covers the name stops serving it as well. */
  readonly exclude?: boolean;
  readonly timeout: number;
}

/** Waits until every edge has confirmed the removal. */
export const removeDomain: Command<[name: string, options: RemovalOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { yes = false, exclude = false, timeout: timeoutMs },
) => {
  const projectId = await findProjectId();
  const path = { projectId, domain: name };
  if (!yes) {
    const found = displayName(await readDomain(api, path)); // a name that does not exist needs no confirmation
    if (!(await confirm(terminal, `Remove ${found}? Its traffic stops immediately.`)))
      return report('refused', 'not_confirmed', `${name} was not removed: not confirmed.`);
  }
  const params = { path, ...(exclude && { query: { exclude } }) };
  const { data } = await api.result(api.http.DELETE('/v1/projects/{projectId}/domains/{domain}', { params }));
  if (data === undefined) return reportRemoved(name, null);

  let latest: Domain = data;
  let lastPendingEdges = -1;
  const watch = { timeoutMs, onError: (detail: string) => terminal.progress(detail) };
  // By ID: the name may already belong to a new domain.
  for await (const domain of watchDomain(api, { projectId, domain: data.id }, watch)) {
    latest = domain;
    if (domain.pendingEdges === 0) return reportRemoved(displayName(domain), domain);
    if (domain.pendingEdges !== lastPendingEdges) terminal.progress(`removed; edges pending: ${domain.pendingEdges}`);
    lastPendingEdges = domain.pendingEdges;
  }
  const message =
    `Removed ${displayName(latest)}, but not everywhere yet: ${pluralize(latest.pendingEdges, 'edge')} may still serve it until ` +
    'the removal is confirmed.';
  return report('not_yet', 'edges_pending', message, { result: latest, next: nextCommands(latest, 'live') });
};

function reportRemoved(name: string, result: Domain | null): Report {
  const coveredBy = result?.coveredBy ?? null;
  if (coveredBy !== null) {
    const message = `Removed ${name}. ${coveredBy} covers it and serves it from now on; pass --exclude to stop that.`;
    const next = [{ command: `pets domains remove ${name} --exclude`, when: 'to stop the name as well' }];
    return report('done', 'covered', message, { result, next });
  }
  return report('done', 'removed', `Removed ${name}. It no longer serves any traffic.`, { result });
}

/** Shows the history of a domain, with causes and reasons, the oldest event first. */
export const showHistory: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const projectId = await findProjectId();
  const domain = await readDomain(api, { projectId, domain: name });
  const entries: readonly DomainHistoryEntry[] = await api.allPages((query) =>
    api.http.GET('/v1/projects/{projectId}/domains/{domain}/events', {
      // By id: the name may get another domain meanwhile.
      params: { path: { projectId, domain: domain.id }, query },
    }),
  );
  const rows = entries.map(({ at, type, from, to, actor, detail }) => [
    terminal.time(at),
    type,
    from === null || from === to ? to : `${from} → ${to}`,
    actor.display ?? actor.kind,
    detail,
  ]);
  return report('done', 'listed', `${displayName(domain)}: ${pluralize(entries.length, 'event')}.`, {
    result: entries,
    text: table(['TIME', 'EVENT', 'STATE', 'BY', 'DETAIL'], rows, terminal.width),
  });
};

export interface MoveOptions {
  /** Id or slug. */
  readonly to: string;
  readonly withRedirects?: true;
}

/** Moves a domain of the project to another one. */
export const moveDomain: Command<[name: string, options: MoveOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { to, withRedirects = false },
) => {
  const projectId = await findProjectId();
  const target = await findProject(api, to);
  const params = { path: { projectId, domain: name }, header: { 'Idempotency-Key': randomUUID() } };
  const body = { projectId: target.id, redirects: withRedirects ? ('move' as const) : ('refuse' as const) };
  const moved: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/move', { params, body }),
  );
  return report('done', 'moved', `Moved ${displayName(moved)} to the project ${target.slug}.`, {
    result: moved,
    issues: moved.issues,
    next: [{ command: `pets domains show ${shellWord(moved.name)} --project ${target.id}`, when: 'to see its state' }],
    text: presentDomain(moved, terminal),
  });
};
