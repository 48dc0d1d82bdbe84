import type { Domain, DomainIssue } from '@pets/contracts';
import { isCause, localizeTimes, sentence } from '@pets/domain-setup';
import { Fold, SymptomHelp } from '../components/page.js';
import { useNow } from '../components/time.js';
import { chooseTroubleshooting } from './domain-status.js';
import { troubleshootingStrings } from './domain-strings.js';
import { isSwitch } from './preparation.js';

/** Says what is wrong with a domain; what to do as well, where the list of its records does not say that. */
export function Causes({ domain }: { readonly domain: Domain }) {
  const shown = domain.issues.filter((issue) => isShown(issue, domain));
  if (shown.length === 0) return null;
  return (
    <ul role="list" className="causes">
      {shown.map((issue) => (
        <Cause key={issue.code} issue={issue} />
      ))}
    </ul>
  );
}

function Cause({ issue: { code, severity, message, cause, remediation } }: { readonly issue: DomainIssue }) {
  return (
    <li data-issue={code} data-severity={severity}>
      {localizeTimes(cause ?? sentence(message))}
      {cause === null && <span className="remedy"> {localizeTimes(remediation)}</span>}
    </li>
  );
}

/** The page shows what only concerns a switch with its steps. */
function isShown(issue: DomainIssue, domain: Domain): boolean {
  if (!isCause(issue, domain.issues)) return false;
  return issue.area !== 'delegation' || issue.blocking || !isSwitch(domain);
}

const MINUTE_MS = 60_000;

/** Help for the symptoms that can occur in the state of the domain. */
export function Troubleshooting({ domain }: { readonly domain: Domain }) {
  const symptoms = chooseTroubleshooting(domain, useNow(MINUTE_MS));
  if (symptoms.length === 0) return null;
  return (
    <Fold title={troubleshootingStrings.title}>
      {symptoms.map((symptom) => (
        <SymptomHelp key={symptom} {...troubleshootingStrings[symptom]} />
      ))}
    </Fold>
  );
}
