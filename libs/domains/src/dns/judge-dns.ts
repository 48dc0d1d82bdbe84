import type {
  DnsAnswer,
  DnsFindings,
  DnsLookup,
  DnsQuestionType,
  DomainIssue,
  ExpectedDns,
  RecordConflict,
} from '@pets/contracts';
import { describeIssue } from '../issues.js';

/** Whether a name points at us: yes, no with the reasons, or could not tell. */
export type DnsVerdict =
  | { readonly kind: 'matches' }
  | {
      readonly kind: 'mismatch';
      readonly issues: readonly DomainIssue[];
      readonly conflicts: readonly RecordConflict[];
    }
  | { readonly kind: 'unknown'; readonly issues: readonly DomainIssue[] };

/** Longer chains are a loop or a mistake; resolvers give up at about the same length. */
const MAX_CHAIN = 8;

/**
 * Judges what the servers said. Every server that answered must show the records: one that still has the old ones would
 * send visitors and the CA elsewhere. Servers that failed do not count either way.
 */
export function judgeDns(findings: DnsFindings, expected: ExpectedDns): DnsVerdict {
  const servers = [...new Set(findings.lookups.map((lookup) => lookup.server))];
  const verdicts = servers.map((server) => ({
    server,
    verdict: judgeServer(viewOf(findings.lookups, server), expected),
  }));
  const mismatches = verdicts.flatMap(({ server, verdict }) =>
    verdict.kind === 'mismatch' ? [{ server, verdict }] : [],
  );
  const isMatchedSomewhere = verdicts.some(({ verdict }) => verdict.kind === 'matches');

  const [first] = mismatches;
  if (first !== undefined) {
    const propagating = describeIssue('propagating', { stale: mismatches.map(({ server }) => server) });
    return isMatchedSomewhere ? { ...first.verdict, issues: [propagating, ...first.verdict.issues] } : first.verdict;
  }
  if (isMatchedSomewhere) return { kind: 'matches' };
  return { kind: 'unknown', issues: [describeIssue('resolver_failed', { errors: errorsOf(findings.lookups) })] };
}

type View = (name: string, type: DnsQuestionType) => DnsAnswer;

/** What one server said. A question that was not put to it counts as absent: the gatherer leaves out what cannot matter. */
function viewOf(lookups: readonly DnsLookup[], server: string): View {
  const answers = new Map(
    lookups.filter((l) => l.server === server).map((l) => [`${l.type} ${l.name.toLowerCase()}`, l.answer]),
  );
  return (name, type) => answers.get(`${type} ${name}`) ?? { kind: 'absent' };
}

function judgeServer(ask: View, expected: ExpectedDns): DnsVerdict {
  const chain = followChain(ask, expected);
  if (chain.kind === 'reached') return { kind: 'matches' };
  if (chain.kind === 'failed') return couldNotTell(chain.error);

  const [seen] = chain.hops;
  if (seen !== undefined) {
    const code = expected.isApex ? 'apex_cname' : 'cname_mismatch';
    return {
      kind: 'mismatch',
      issues: [
        describeIssue(code, { name: expected.name, seen: chain.hops.join(' → '), expected: expected.targetHost }),
      ],
      conflicts: [{ type: 'CNAME', name: expected.name, value: seen, action: expected.isApex ? 'remove' : 'change' }],
    };
  }
  return expected.isApex ? judgeApexAddresses(ask, expected) : judgeSubdomainAddresses(ask, expected);
}

type Chain = { kind: 'reached' } | { kind: 'failed'; error: string } | { kind: 'ended'; hops: readonly string[] };

/** Follows CNAMEs from the name; somewhere on the way the exact target must stand. */
function followChain(ask: View, expected: ExpectedDns): Chain {
  const hops: string[] = [];
  for (let name = expected.name; hops.length < MAX_CHAIN;) {
    const answer = ask(name, 'CNAME');
    if (answer.kind === 'failed') return { kind: 'failed', error: answer.error };
    if (answer.kind === 'absent') break;
    const next = hostOf(answer.records[0]?.value ?? '');
    if (next === expected.targetHost) return { kind: 'reached' };
    hops.push(next);
    name = next;
  }
  return { kind: 'ended', hops };
}

/** A subdomain without a CNAME: address records stand in the way, or there is nothing. */
function judgeSubdomainAddresses(ask: View, expected: ExpectedDns): DnsVerdict {
  const [a, aaaa] = [ask(expected.name, 'A'), ask(expected.name, 'AAAA')];
  const found = [
    { type: 'A', code: 'conflicting_a', values: valuesOf(a) },
    { type: 'AAAA', code: 'conflicting_aaaa', values: valuesOf(aaaa) },
  ].filter(({ values }) => values.length > 0) as {
    type: string;
    code: 'conflicting_a' | 'conflicting_aaaa';
    values: string[];
  }[];
  if (found.length > 0) {
    return {
      kind: 'mismatch',
      issues: found.map(({ code, values }) =>
        describeIssue(code, { name: expected.name, seen: values, expected: expected.targetHost }),
      ),
      conflicts: found.flatMap(({ type, values }) =>
        values.map((value) => ({ type, name: expected.name, value, action: 'remove' as const })),
      ),
    };
  }
  return noRecord(expected);
}

/** An apex by ALIAS or ANAME: its addresses, flattened by the provider, must be addresses of our target. */
function judgeApexAddresses(ask: View, expected: ExpectedDns): DnsVerdict {
  const seen = [ask(expected.name, 'A'), ask(expected.name, 'AAAA')];
  const ours = [ask(expected.targetHost, 'A'), ask(expected.targetHost, 'AAAA')];
  const failed = [...seen, ...ours].find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return couldNotTell(failed.error);

  const target = new Set(ours.flatMap(valuesOf));
  if (target.size === 0) return couldNotTell(`${expected.targetHost} has no address`);
  const addresses = seen.flatMap(valuesOf);
  if (addresses.length === 0) return noRecord(expected);
  const foreign = addresses.filter((address) => !target.has(address));
  if (foreign.length === 0) return { kind: 'matches' };
  return {
    kind: 'mismatch',
    issues: [
      describeIssue('apex_not_pointing_here', {
        name: expected.name,
        seen: addresses,
        expected: [...target],
        target: expected.targetHost,
      }),
    ],
    conflicts: foreign.map((value) => ({
      type: value.includes(':') ? 'AAAA' : 'A',
      name: expected.name,
      value,
      action: 'remove' as const,
    })),
  };
}

function noRecord(expected: ExpectedDns): DnsVerdict {
  return {
    kind: 'mismatch',
    issues: [describeIssue('no_record', { name: expected.name, expected: expected.targetHost })],
    conflicts: [],
  };
}

function couldNotTell(error: string): DnsVerdict {
  return { kind: 'unknown', issues: [describeIssue('resolver_failed', { errors: [error] })] };
}

function errorsOf(lookups: readonly DnsLookup[]): string[] {
  const errors = lookups.flatMap(({ server, answer }) =>
    answer.kind === 'failed' ? [`${server}: ${answer.error}`] : [],
  );
  return errors.length === 0 ? ['no server was asked'] : [...new Set(errors)];
}

function valuesOf(answer: DnsAnswer): string[] {
  return answer.kind === 'found' ? answer.records.map(({ value }) => value.toLowerCase()) : [];
}

/** Host names compare without case and final dot (RFC 4343, RFC 1034 §3.1). */
function hostOf(value: string): string {
  return value.toLowerCase().replace(/\.$/, '');
}
