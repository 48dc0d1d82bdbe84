import { randomUUID } from 'node:crypto';
import { displayName, type Domain, type ListDomainsQuery } from '@pets/contracts';
import type { Api } from '../api/api.js';
import type { Command, CommandContext } from '../command.js';
import { report, type Outcome, type Report } from '../outcome/outcome.js';
import { confirm } from '../terminal/confirm.js';
import { pluralize } from '../terminal/format.js';
import { paragraphs, titled } from '../terminal/layout.js';
import { shellWord } from '../terminal/shell-word.js';
import { table } from '../terminal/table.js';
import { evaluateDomain, type Goal } from './evaluate-domain.js';
import { presentDomain, presentIssues, presentRecords } from './present-domain.js';
import { readDomain, watchDomain } from './watch-domain.js';

/** After this time, `verify` reports that the check is still running. */
const CHECK_TIMEOUT_MS = 20_000;

/** What is stored with a domain, to find it again. */
interface LabelOptions {
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type AddOptions = LabelOptions & { readonly pair?: boolean };

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
      presentIssues(added.issues, terminal),
    ]),
  };
  const names = all.map(displayName).join(' and ');
  return report('done', 'added', `Added ${names}. Create the records at your DNS provider.`, details);
};

/** The filters of `pets domains list`. */
export type ListOptions = Pick<ListDomainsQuery, 'state' | 'q' | 'expiresBefore' | 'sort'> &
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
    certificate?.notAfter ?? '',
    issues.map(({ code }) => code).join(', '),
  ]);
  const text = table(['NAME', 'STATE', 'CERTIFICATE UNTIL', 'ISSUES'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(domains.length, 'domain')}.`, { result: domains, text });
};

/** Changes what is stored with a domain. Keys without a value are removed. */
export const updateDomain: Command<[name: string, options: LabelOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { externalId, metadata = {} },
) => {
  const projectId = await findProjectId();
  const keys = Object.entries(metadata).map(([key, value]) => [key, value === '' ? null : value]);
  const body = {
    ...(externalId !== undefined && { externalId: externalId === '' ? null : externalId }),
    metadata: Object.fromEntries(keys) as Record<string, string | null>,
  };
  const params = { path: { projectId, domain: name } };
  const domain: Domain = await api.data(api.http.PATCH('/v1/projects/{projectId}/domains/{domain}', { params, body }));
  const rows = [['external id', domain.externalId ?? ''], ...Object.entries(domain.metadata)];
  const text = table(['KEY', 'VALUE'], rows, terminal.width);
  return report('done', 'updated', `Changed what is stored with ${displayName(domain)}.`, { result: domain, text });
};

/** Succeeds in every state of the domain. */
export const showDomain: Command<[name: string]> = async (context, name) => {
  const domain = await readDomain(context.api, { projectId: await context.findProjectId(), domain: name });
  return reportDomain(context, domain, 'live', { status: 'done', reason: domain.state });
};

/** Starts a check and reports its result. */
export const verifyDomain: Command<[name: string]> = async (context, name) => {
  const { api, terminal } = context;
  const projectId = await context.findProjectId();
  const path = { projectId, domain: name };
  const params = { path, header: { 'Idempotency-Key': randomUUID() } };
  const requested: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/verify', { params }),
  );
  terminal.progress(`checking ${displayName(requested)}`);
  const watch = { timeoutMs: CHECK_TIMEOUT_MS, onError: (detail: string) => terminal.progress(detail) };
  let latest = requested;
  for await (const domain of watchDomain(api, { projectId, domain: requested.id }, watch)) {
    latest = domain;
    if (domain.dns.checkedAt === requested.dns.checkedAt && domain.state === requested.state) continue;
    terminal.progress(`checked: ${domain.state}`);
    return reportDomain(context, domain, 'verified', evaluateDomain(domain, 'verified'));
  }
  return reportDomain(context, latest, 'verified', { status: 'not_yet', reason: 'check_pending' });
};

/** Waits for the goal or the timeout. Issues do not end it, because the owner may fix them meanwhile. */
export const waitForDomain: Command<[name: string, options: { timeout: number; for: Goal }]> = async (
  context,
  name,
  { timeout: timeoutMs, for: goal },
) => {
  const { api, terminal } = context;
  const projectId = await context.findProjectId();
  let latest: Domain | null = null;
  let lastLine = '';
  const watch = { timeoutMs, onError: (detail: string) => terminal.progress(detail) };
  for await (const domain of watchDomain(api, { projectId, domain: name }, watch)) {
    latest = domain;
    const evaluation = evaluateDomain(domain, goal);
    const line = `${domain.state}${evaluation.reason === domain.state ? '' : `: ${evaluation.reason}`}`;
    if (line !== lastLine) terminal.progress(line);
    lastLine = line;
    if (evaluation.status === 'done' || domain.state === 'removed')
      return reportDomain(context, domain, goal, evaluation);
  }
  if (latest === null)
    return report('unavailable', 'api_unreachable', `Timed out before ${name} could be read from the API.`);
  return reportDomain(context, latest, goal, { status: 'not_yet', reason: 'timeout' });
};

function reportDomain(
  { terminal }: CommandContext,
  domain: Domain,
  goal: Goal,
  { status, reason }: Pick<Report, 'status' | 'reason'>,
): Report {
  const [first] = domain.issues;
  const cause = status === 'done' || first === undefined ? '' : ` ${first.message}`;
  const late = reason === 'timeout' ? `; timed out waiting for ${goal}` : '';
  const pending = reason === 'check_pending' ? '; the check is still running' : '';
  const isReady = status === 'done' && reason === 'ready' && domain.state === 'awaiting_dns';
  const state = isReady ? 'ready: you can switch its DNS record now' : domain.state;
  return report(status, reason, `${displayName(domain)} is ${state}${late}${pending}.${cause}`, {
    result: domain,
    issues: domain.issues,
    next: nextCommands(domain, goal),
    text: presentDomain(domain, terminal),
  });
}

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
  if (!yes && !(await confirm(terminal, `Remove ${name}? Its traffic stops immediately.`)))
    return report('refused', 'not_confirmed', `${name} was not removed: not confirmed.`);
  const projectId = await findProjectId();
  const path = { projectId, domain: name };
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

/** The commands to run next. */
function nextCommands(domain: Domain, goal: Goal): Outcome['next'] {
  const { state } = domain;
  const name = shellWord(domain.name);
  switch (state) {
    case 'awaiting_dns': {
      if (domain.readiness?.state === 'ready')
        return [
          { command: `pets domains wait ${name}`, when: 'after you switch the record, to wait until it is live' },
        ];
      const isRefused = evaluateDomain(domain, goal).status === 'refused';
      const verifyWhen = isRefused ? 'after you fix the records' : 'after you create the records';
      return [
        { command: `pets domains verify ${name}`, when: verifyWhen },
        { command: `pets domains wait ${name}`, when: 'to wait until it is live' },
      ];
    }
    case 'verified':
      return [{ command: `pets domains wait ${name}`, when: 'to wait until it is live' }];
    case 'live':
      return domain.misconfigured ? [{ command: `pets domains doctor ${name}`, when: 'to diagnose its DNS' }] : [];
    case 'removed':
      return domain.pendingEdges === 0
        ? []
        : [{ command: `pets domains remove ${name} --yes`, when: 'to wait for the pending edges' }];
  }
}
