import type { Domain } from '@pets/contracts';
import { Fold, SymptomHelp } from '../components/page.js';
import { useNow } from '../components/time.js';
import { chooseTroubleshooting } from './domain-status.js';
import { troubleshootingStrings } from './domain-strings.js';

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
