import type { Domain } from '@pets/contracts';
import { Text } from '@mantine/core';
import { Countdown } from '../parts/countdown.js';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Section } from '../parts/section.js';
import { strings } from '../strings.js';

const words = strings.certificate;

/** The certificate, or how far getting one has come. */
export function Certificate({ domain: { certificate } }: { readonly domain: Domain }) {
  return (
    <Section title={words.title}>
      {certificate === null ? (
        <Text>{words.none}</Text>
      ) : (
        <FieldList
          fields={[
            [words.state, words.states[certificate.state]],
            [words.issuer, certificate.issuer],
            [words.from, instant(certificate.notBefore)],
            [words.until, instant(certificate.notAfter)],
            [words.renewAt, instant(certificate.renewAt)],
            [words.attempts, certificate.attempts],
            [
              words.nextAttempt,
              certificate.state === 'issued' || certificate.nextAttemptAt === null ? null : (
                <Countdown until={certificate.nextAttemptAt} />
              ),
            ],
            [words.rateLimited, instant(certificate.rateLimitedUntil)],
          ]}
        />
      )}
    </Section>
  );
}

function instant(at: string | null) {
  return at === null ? null : <Instant at={at} />;
}
