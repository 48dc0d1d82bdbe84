import type { Domain } from '@pets/contracts';
import { useNow } from '../parts/use-now.js';
import { Section } from '../parts/section.js';
import { SymptomHelp } from '../parts/symptom-help.js';
import { strings } from '../strings.js';
import { chooseTroubleshooting } from './choose-troubleshooting.js';

const MINUTE_MS = 60_000;

/** Help for the symptoms that a domain in this state can show. */
export function Troubleshooting({ domain }: { readonly domain: Domain }) {
  const symptoms = chooseTroubleshooting(domain, useNow(MINUTE_MS));
  if (symptoms.length === 0) return null;
  return (
    <Section title={strings.troubleshooting.title}>
      {symptoms.map((symptom) => (
        <SymptomHelp key={symptom} {...strings.troubleshooting[symptom]} />
      ))}
    </Section>
  );
}
