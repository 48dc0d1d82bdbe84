import { randomUUID } from 'node:crypto';
import { displayName, type Domain } from '@pets/contracts';
import type { Command } from '../command.js';
import { CommandFailure, report } from '../outcome/outcome.js';
import { shellWord, titled } from '../terminal/format.js';
import { addDomain } from './domain-commands.js';
import { evaluateDomain, hasResultOf, reportDomain, type Goal } from './domain-outcome.js';
import { presentRecords } from './present-domain.js';
import { CheckRequests, readDomain, watchDomain } from './watch-domain.js';

/** After this time, `verify` reports that the check is still running. */
const CHECK_TIMEOUT_MS = 20_000;

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
    if (!hasResultOf(requested, domain)) continue;
    return reportDomain(context, domain, 'verified', evaluateDomain(domain, 'verified'));
  }
  return reportDomain(context, latest, 'verified', { status: 'not_yet', reason: 'check_pending' });
};

/**
 * Waits for the goal or the timeout, and requests checks meanwhile. Issues do not end it, because the owner may fix them.
 */
export const waitForDomain: Command<[name: string, options: { timeout: number; for: Goal }]> = async (
  context,
  name,
  { timeout: timeoutMs, for: goal },
) => {
  const { api, terminal } = context;
  const projectId = await context.findProjectId();
  let latest: Domain | null = null;
  let lastLine = '';
  const path = { projectId, domain: name };
  const onError = (detail: string) => terminal.progress(detail);
  const checks = new CheckRequests(api, path, onError);
  const stopCountdown = terminal.showStatus(() => countdownOf(latest, checks.nextAt, new Date()));
  try {
    for await (const domain of watchDomain(api, path, { timeoutMs, onError })) {
      latest = domain;
      const evaluation = evaluateDomain(domain, goal);
      const line = `${domain.state}${evaluation.reason === domain.state ? '' : `: ${evaluation.reason}`}`;
      if (line !== lastLine) terminal.progress(line);
      lastLine = line;
      if (evaluation.status === 'done' || domain.state === 'removed')
        return reportDomain(context, domain, goal, evaluation);
      checks.follow(domain);
    }
  } finally {
    checks.close();
    stopCountdown();
  }
  if (latest === null)
    return report('unavailable', 'api_unreachable', `Timed out before ${name} could be read from the API.`);
  return reportDomain(context, latest, goal, { status: 'not_yet', reason: 'timeout' });
};

/** `next check in 9 s`; null while none is planned. */
function countdownOf(domain: Domain | null, requestAt: Date | null, now: Date): string | null {
  if (domain?.state !== 'awaiting_dns') return null;
  const planned = [domain.dns.nextCheckAt, requestAt?.toISOString()].flatMap((at) =>
    at == null ? [] : [Date.parse(at) - now.getTime()],
  );
  if (planned.length === 0) return null;
  const seconds = Math.ceil(Math.min(...planned) / 1_000);
  return seconds > 0 ? `next check in ${seconds} s` : 'checking';
}

/**
 * Adds a domain, unless the project has it, shows its records, and waits until its DNS can be switched without an
 * interruption. It may be repeated.
 */
export const prepareDomain: Command<[name: string, options: { timeout: number }]> = async (context, name, options) => {
  const { api, terminal } = context;
  try {
    await addDomain(context, name, {});
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.report.reason !== 'domain_exists') throw error;
  }
  const domain: Domain = await readDomain(api, { projectId: await context.findProjectId(), domain: name });
  const records = titled(`records of ${displayName(domain)}`, presentRecords(domain.records, terminal.progressStyle));
  for (const line of records.split('\n')) terminal.progress(line);
  return waitForDomain(context, name, { timeout: options.timeout, for: 'ready' });
};

/** Makes the next attempt to get a certificate start now. The API refuses it while one is planned soon. */
export const reverifyDomain: Command<[name: string]> = async ({ api, findProjectId }, name) => {
  const params = {
    path: { projectId: await findProjectId(), domain: name },
    header: { 'Idempotency-Key': randomUUID() },
  };
  const domain: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/reverify', { params }),
  );
  return report('done', 'scheduled', `The next attempt to get a certificate for ${displayName(domain)} starts now.`, {
    result: domain,
    issues: domain.issues,
    next: [{ command: `pets domains wait ${shellWord(domain.name)}`, when: 'to wait until it is live' }],
  });
};
