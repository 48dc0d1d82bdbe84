import { randomUUID } from 'node:crypto';
import { displayName, type Domain } from '@pets/contracts';
import type { Api } from '../api/api.js';
import type { Command, CommandContext } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { counted } from '../terminal/counted.js';
import { table } from '../terminal/table.js';
import { evaluateDomain, type Goal } from './evaluate-domain.js';
import { nextCommands } from './next-commands.js';
import { paragraphs, presentDomain, presentIssues, presentRecords, titled } from './present-domain.js';
import { readDomain, watchDomain } from './watch-domain.js';

/** A check takes a moment; past this, `verify` tells that it is still under way. */
const CHECK_LIMIT_MS = 20_000;

/** `pets domains add`. */
export const addDomain: Command<[name: string, options: { pair?: boolean }]> = async (
  { api, projectId, terminal },
  name,
  { pair = false },
) => {
  const params = { path: { projectId }, header: { 'Idempotency-Key': randomUUID() } };
  const added: Domain = await api.ask(
    api.http.POST('/v1/projects/{projectId}/domains', { params, body: { name, pair } }),
  );
  terminal.progress(`${displayName(added)} added: ${added.state}`);
  const twin = await readTwin(api, added);
  const all = twin === null ? [added] : [added, twin];
  const details = {
    result: { domain: added, twin },
    issues: all.flatMap((each) => each.issues),
    next: nextCommands(added, 'live'),
    text: paragraphs([
      ...all.map((each) => titled(displayName(each), presentRecords(each.records))),
      presentIssues(added.issues, terminal.onStdout),
    ]),
  };
  const names = all.map(displayName).join(' and ');
  return report('done', 'added', `Added ${names}. Create the records at your DNS provider.`, details);
};

/** `pets domains list`. */
export const listDomains: Command<[]> = async ({ api, projectId }) => {
  const domains: readonly Domain[] = await api.ask(
    api.http.GET('/v1/projects/{projectId}/domains', { params: { path: { projectId } } }),
  );
  const rows = domains.map(({ name, unicodeName, state, suspensions, certificate, issues }) => [
    displayName({ name, unicodeName }),
    suspensions.length > 0 ? `${state}, suspended` : state,
    certificate?.notAfter ?? '',
    issues.map(({ code }) => code).join(', '),
  ]);
  const text = table(['NAME', 'STATE', 'CERTIFICATE UNTIL', 'ISSUES'], rows);
  return report('done', 'listed', `${counted(domains.length, 'domain')}.`, { result: domains, text });
};

/** `pets domains show`: succeeds whatever it shows. */
export const showDomain: Command<[name: string]> = async (context, name) => {
  const domain = await readDomain(context.api, { projectId: context.projectId, domain: name });
  return reportDomain(context, domain, 'live', { status: 'done', reason: domain.state });
};

/** `pets domains verify`: asks for a check and tells what it found. */
export const verifyDomain: Command<[name: string]> = async (context, name) => {
  const { api, projectId, terminal } = context;
  const place = { projectId, domain: name };
  const params = { path: place, header: { 'Idempotency-Key': randomUUID() } };
  const asked: Domain = await api.ask(api.http.POST('/v1/projects/{projectId}/domains/{domain}/verify', { params }));
  terminal.progress(`checking ${displayName(asked)}`);
  const watch = { timeoutMs: CHECK_LIMIT_MS, onTrouble: (detail: string) => terminal.progress(detail) };
  let seen = asked;
  for await (const domain of watchDomain(api, { projectId, domain: asked.id }, watch)) {
    seen = domain;
    if (domain.dns.checkedAt === asked.dns.checkedAt && domain.state === asked.state) continue;
    terminal.progress(`checked: ${domain.state}`);
    return reportDomain(context, domain, 'verified', evaluateDomain(domain, 'verified'));
  }
  return reportDomain(context, seen, 'verified', { status: 'not_yet', reason: 'check_pending' });
};

/** `pets domains wait`: until it is so, or the time is over. What stands in the way may be mended meanwhile. */
export const waitForDomain: Command<[name: string, options: { timeout: number; for: Goal }]> = async (
  context,
  name,
  { timeout: timeoutMs, for: goal },
) => {
  const { api, projectId, terminal } = context;
  let [seen, told]: [Domain | null, string] = [null, ''];
  const watch = { timeoutMs, onTrouble: (detail: string) => terminal.progress(detail) };
  for await (const domain of watchDomain(api, { projectId, domain: name }, watch)) {
    seen = domain;
    const judged = evaluateDomain(domain, goal);
    const line = `${domain.state}${judged.reason === domain.state ? '' : `: ${judged.reason}`}`;
    if (line !== told) terminal.progress((told = line));
    if (judged.status === 'done' || domain.state === 'removed') return reportDomain(context, domain, goal, judged);
  }
  if (seen === null)
    return report('unavailable', 'api_unreachable', `Timed out before ${name} could be read from the API.`);
  return reportDomain(context, seen, goal, { status: 'not_yet', reason: 'timeout' });
};

function reportDomain(
  { terminal }: CommandContext,
  domain: Domain,
  goal: Goal,
  { status, reason }: Pick<Report, 'status' | 'reason'>,
): Report {
  const [first] = domain.issues;
  const why = status === 'done' || first === undefined ? '' : ` ${first.message}`;
  const late = reason === 'timeout' ? `; timed out waiting for ${goal}` : '';
  const pending = reason === 'check_pending' ? '; the check is still running' : '';
  return report(status, reason, `${displayName(domain)} is ${domain.state}${late}${pending}.${why}`, {
    result: domain,
    issues: domain.issues,
    next: nextCommands(domain, goal),
    text: presentDomain(domain, terminal.onStdout),
  });
}

async function readTwin(api: Api, { projectId, pairedWith }: Domain): Promise<Domain | null> {
  return pairedWith === null ? null : readDomain(api, { projectId, domain: pairedWith });
}
