import type { Domain, RequiredRecord } from '@pets/contracts';
import { localizeTimes, optionalLine } from '@pets/domain-setup';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from '../components/external-link.js';
import { projectQuery } from '../projects/projects.queries.js';
import { readinessStrings as text } from './domain-strings.js';
import type { ProviderChoice } from './records-at-provider.js';
import { ZoneList } from './zone-list.js';

/** A record may be changed at once if caches keep it no longer than this. */
const SHORT_TTL_SECONDS = 300;

/** Whether visitors get to another place at present, so that a switch could interrupt the site. */
export function isSwitch({ name, state, readiness, dns, issues }: Domain): boolean {
  if (readiness === null || state !== 'awaiting_dns' || name.startsWith('*.')) return false;
  // Behind a proxy there may be this very record.
  if (readiness.state === 'waiting' && issues.some(({ code }) => code === 'proxied_by_cdn')) return false;
  return readiness.state !== 'waiting' || dns.observed.some(({ type }) => type === 'A' || type === 'AAAA');
}

interface PreparationProps {
  readonly domain: Domain;
  readonly choice: ProviderChoice;
}

/** The steps of a switch without an interruption, for a name that is visited elsewhere today. */
export function Preparation({ domain, choice }: PreparationProps) {
  const { readiness, records, suspensions, dns, issues } = domain;
  if (readiness === null || !isSwitch(domain)) return null;
  const optional = records.filter(isPreparing);
  const mismatch = issues.filter(({ area, blocking }) => area === 'delegation' && !blocking);
  const ttl = longestTtl(dns);
  const isReady = readiness.state === 'ready';
  const isExplained = readiness.state === 'waiting' && suspensions.length === 0;
  return (
    <details className="assistant" data-readiness={readiness.state} open={readiness.state !== 'waiting'}>
      <summary>
        <h3>{text.title}</h3> <span className="muted">{text.hints[readiness.state]}</span>
      </summary>
      <ol>
        <li data-done={ttl === null || ttl <= SHORT_TTL_SECONDS ? '' : undefined}>
          {ttl === null || ttl <= SHORT_TTL_SECONDS ? text.ttlShort : text.lowerTtl(ttl)}
        </li>
        <li data-done={isReady ? '' : undefined}>
          {isExplained ? text.create : localizeTimes(readiness.message)}
          {mismatch.map((issue) => (
            <span key={issue.code} data-issue={issue.code}>
              {' '}
              {localizeTimes(issue.cause ?? `${issue.message} ${issue.remediation}`)}
            </span>
          ))}
          <ZoneList
            label={text.title}
            lines={optional.map((record) => optionalLine(record, domain))}
            provider={choice.provider}
            until={null}
          />
        </li>
        <li>
          {text.look} <NewSite projectId={domain.projectId} />
        </li>
        <li>{text.switch}</li>
        <li>{text.end(ttl)}</li>
      </ol>
    </details>
  );
}

/** The site at its own name; empty until loaded. */
function NewSite({ projectId }: { readonly projectId: string }) {
  const { data } = useQuery(projectQuery(projectId));
  return data === undefined ? null : (
    <ExternalLink href={data.platformUrl}>{new URL(data.platformUrl).host}</ExternalLink>
  );
}

/** Whether a record only serves to get the certificate before the switch. */
function isPreparing({ purpose, optional }: RequiredRecord): boolean {
  return purpose === 'delegation' && optional === true;
}

/** How long caches keep the records that visitors get today, in seconds. */
function longestTtl({ observed, conflicts }: Domain['dns']): number | null {
  const ttls = observed
    .filter((seen) => conflicts.some(({ type, name }) => seen.type === type && seen.name === name))
    .flatMap(({ ttl }) => ttl ?? []);
  return ttls.length === 0 ? null : Math.max(...ttls);
}
