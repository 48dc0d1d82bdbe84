import type { Domain, OwnCertificate } from '@pets/contracts';
import { setupTexts } from '@pets/domain-setup';
import { Text } from '@mantine/core';
import { FieldList } from '../components/page.js';
import { Countdown, Day, useNow } from '../components/time.js';
import { formatCountdown, formatDays } from '../format.js';
import { reverifyOf } from './domain-status.js';
import { certificateStrings as text, domainStrings } from './domain-strings.js';

interface CertificateProps {
  readonly domain: Domain;
  /** How long the API refuses another attempt. */
  readonly refusedMs: number;
}

/** The certificate of a domain, or the progress of getting one. */
export function Certificate({ domain }: Pick<CertificateProps, 'domain'>) {
  const { certificate } = domain;
  return (
    <>
      {certificate === null ? (
        <Text>{setupTexts.next.noCertificate}</Text>
      ) : (
        <FieldList
          fields={[
            [text.state, text.states[certificate.state]],
            [text.until, certificate.notAfter === null ? null : <Expiry at={certificate.notAfter} />],
            [text.issuer, certificate.issuer],
            [text.method, text.methods[certificate.method]],
            [text.from, optionalDay(certificate.notBefore)],
            [text.renewAt, optionalDay(certificate.renewAt)],
            [text.attempts, certificate.attempts],
            [
              text.nextAttempt,
              certificate.state === 'issued' || certificate.nextAttemptAt === null ? null : (
                <Countdown until={certificate.nextAttemptAt} />
              ),
            ],
            [text.rateLimited, optionalDay(certificate.rateLimitedUntil)],
          ]}
        />
      )}
    </>
  );
}

/** The owner's certificate, while visitors get it. */
export function ServedOwnCertificate({ own }: { readonly own: OwnCertificate }) {
  return (
    <FieldList
      fields={[
        [text.served, text.ownServed],
        [text.until, <Expiry at={own.notAfter} />],
        [text.issuer, own.issuer],
        [text.from, optionalDay(own.notBefore)],
      ]}
    />
  );
}

/** The end of the certificate that visitors get; null without one. */
export function servedUntil({ certificate, ownCertificate }: Pick<Domain, 'certificate' | 'ownCertificate'>) {
  return ownCertificate?.isServed === true ? ownCertificate.notAfter : (certificate?.notAfter ?? null);
}

/** When the owner may request another attempt. */
export function ReverifyHint({ domain, refusedMs }: CertificateProps) {
  const reverify = reverifyOf(domain, useNow(1_000));
  if (reverify.kind === 'unneeded') return null;
  const waitMs = Math.max(refusedMs, reverify.kind === 'later' ? reverify.waitMs : 0);
  return (
    <Text size="sm" c="dimmed">
      {waitMs > 0 ? domainStrings.reverifyLater(formatCountdown(waitMs)) : domainStrings.reverifyWhen}
    </Text>
  );
}

function Expiry({ at }: { readonly at: string }) {
  return (
    <>
      <Day at={at} /> <span className="muted">({formatDays(at, useNow(60_000))})</span>
    </>
  );
}

function optionalDay(at: string | null) {
  return at === null ? null : <Day at={at} />;
}
