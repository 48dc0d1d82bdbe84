/**
 * `pets domains doctor`: what DNS says of a name, seen from where the command runs, and judged by the rules of the
 * service (`@pets/domains`). It needs no account: `--target` says what is expected; else the domain is read from the API
 * where a key and a project are known; else it shows what is there, and whether CAA allows the certificate authority.
 */
import { displayName, type RequiredRecord } from '@pets/contracts';
import { observedRecords, ownershipHostFor, parseDomainName, routingRecord, type ParsedName } from '@pets/domains';
import type { Command, CommandContext } from '../command.js';
import { paragraphs, presentIssues, presentObserved, presentRecords, titled } from '../domains/present-domain.js';
import { readDomain } from '../domains/watch-domain.js';
import { CommandFailure, report, usageFailure, type Report } from '../outcome/outcome.js';
import { printable } from '../terminal/printable.js';
import { diagnose, type Diagnosis, type Expectation } from './diagnose.js';
import { lookAt } from './look.js';

export interface DoctorOptions {
  readonly target?: string;
  readonly resolver?: string[];
  /** Names the CA answers to in CAA records. */
  readonly ca: string[];
  readonly caAccount?: string;
}

type Name = Extract<ParsedName, { ok: true }>;

interface Known extends Expectation {
  readonly records: readonly RequiredRecord[];
}

export const doctor: Command<[name: string, options: DoctorOptions]> = async (context, typed, options) => {
  const { terminal } = context;
  const name = parseName(typed);
  const known = options.target === undefined ? await askAccount(context, name) : expectTarget(name, options.target);
  terminal.progress(`looking up ${displayName(name)}`);
  const seen = await lookAt({
    name: name.name,
    isApex: name.isApex,
    expected: known?.dns ?? null,
    resolvers: options.resolver ?? [],
  });
  const policy = { identities: options.ca, accountUrl: options.caAccount ?? null };
  const diagnosis = diagnose({ name: name.name, ...seen }, known, policy);
  const { dns, ownership, caa, issues, status, reason } = diagnosis;
  const expected = known?.records ?? [];
  const observed = observedRecords(
    { ...seen.findings, lookups: [...seen.findings.lookups, ...seen.caa] },
    known?.dns.targetHost ?? '',
  );
  const { nameServers = [] } = seen.findings;
  const text = paragraphs([
    titled('Expected', presentRecords(expected)),
    titled('Seen in DNS', presentObserved(observed) || 'no records'),
    titled('Name servers', nameServers.map(printable).join('\n')),
    presentIssues(issues, terminal.onStdout),
  ]);
  return report(status, reason, messageOf(name.name, diagnosis), {
    result: { name: name.name, verdicts: { dns, ownership, caa }, expected, observed, nameServers },
    issues,
    next: nextOf(name.name, diagnosis),
    text,
  });
};

/** Which names the platform takes, the API decides; here any name that DNS can have is looked at. */
function parseName(typed: string): Name {
  const parsed = parseDomainName(typed, { platformDomain: '', allowSpecialUseNames: true });
  if (!parsed.ok) throw new CommandFailure(report('refused', parsed.code, parsed.reason));
  return parsed;
}

function expectTarget({ name, apexName, isApex }: Name, target: string): Known {
  const parsed = parseDomainName(target, { platformDomain: '', allowSpecialUseNames: true });
  if (!parsed.ok) throw usageFailure('invalid_target', `--target is not a host name: ${parsed.reason}`);
  const targetHost = parsed.name;
  const records = [routingRecord({ name, apexName, targetHost })];
  return { dns: { name, isApex, targetHost, ownershipHost: null }, token: null, records };
}

/** What the API expects of the name; null where nobody can be asked, or the name is not known there. */
async function askAccount(context: CommandContext, { name, isApex }: Name): Promise<Known | null> {
  const { settings, terminal } = context;
  if (settings.apiUrl === null || settings.apiKey === null || settings.projectId === null) return null;
  try {
    const { records, ownership } = await readDomain(context.api, { projectId: settings.projectId, domain: name });
    const routing = records.find(({ purpose }) => purpose === 'routing');
    if (routing === undefined) return null;
    const token = ownership.record?.value ?? null;
    const ownershipHost = token === null ? null : ownershipHostFor(name);
    return {
      dns: { name, isApex, targetHost: routing.value, ownershipHost, ...(token !== null && { ownershipToken: token }) },
      token,
      records,
    };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    // The diagnosis is worth having without it; what is missing is told.
    terminal.progress(`could not read the expected records: ${error.message}`);
    return null;
  }
}

function messageOf(name: string, { status, dns, caa, issues }: Diagnosis): string {
  if (status !== 'done') return issues[0]?.message ?? `The DNS of ${name} is not correct.`;
  const authority = caa === 'permits' ? 'CAA permits the certificate authority' : 'CAA could not be checked';
  if (dns === null) return `${authority}. Pass --target HOST to check the records of ${name}.`;
  return `${name} points to its target, and ${authority}.`;
}

function nextOf(name: string, { status, dns }: Diagnosis): Report['next'] {
  if (status === 'done' && dns === 'matches')
    return [{ command: `pets domains verify ${name}`, when: 'if the domain is not verified yet' }];
  return status === 'done' ? [] : [{ command: `pets domains doctor ${name}`, when: 'after you fix the records' }];
}
