import { z } from 'zod';
import {
  certificateSources,
  certificateStates,
  certificateTrusts,
  challengeMethods,
  ownCertificateStates,
  readinessStates,
  revocationCheckResults,
} from '../enums.js';
import { flagSchema } from './page.js';
import { instantSchema } from './scalars.js';

/** The certificate of a domain, and whether its DNS can be switched. */

export const domainCertificateSchema = z
  .object({
    state: z.enum(certificateStates),
    method: z
      .enum(challengeMethods)
      .describe(
        'How the certificate authority checked that we control the name, or will: `http-01` needs a name that points here, ' +
          '`dns-01` the delegation record. A renewal uses the same method again if it can, else the other one.',
      ),
    issuer: z.string().nullable(),
    notBefore: instantSchema.nullable(),
    notAfter: instantSchema.nullable(),
    renewAt: instantSchema
      .nullable()
      .describe(
        'When the certificate is planned to be renewed; the certificate authority may change this. Null without a certificate.',
      ),
    attempts: z.int().min(0).describe('The number of attempts to get a certificate, including renewals.'),
    nextAttemptAt: instantSchema
      .nullable()
      .describe('When the next attempt starts automatically; null if none is planned.'),
    rateLimitedUntil: instantSchema
      .nullable()
      .describe(
        'Until when the certificate authority accepts no order for this name, by its answer or its published limits.',
      ),
  })
  .readonly()
  .meta({ id: 'DomainCertificate', description: 'The certificate of a domain, or the progress of getting one.' });

export type DomainCertificate = z.infer<typeof domainCertificateSchema>;

export const readinessSchema = z
  .object({
    state: z
      .enum(readinessStates)
      .describe(
        '`waiting` for the delegation record, `preparing` the certificate, or `ready`: the DNS record can be switched without ' +
          'an interruption.',
      ),
    message: z.string().describe('What the owner can do now, for people.'),
  })
  .readonly()
  .meta({
    id: 'DomainReadiness',
    description: 'Whether the DNS record of a domain can be switched without an interruption.',
    example: { state: 'ready', message: 'You can switch the DNS record now: visitors will see no interruption.' },
  });

/** Certificates that owners upload, in place of those that we order. */

/** Eight certificates of the largest accepted keys, with the texts that tools write between them. */
const MAX_CHAIN_LENGTH = 40_000;
/** A key of 4096 bits has 3 300 characters. */
const MAX_KEY_LENGTH = 8_000;
/** Maximum size of an upload: enough for the longest values in any escaping that clients use. */
export const MAX_UPLOAD_BYTES = 256 * 1024;

const preferSchema = z
  .enum(certificateSources)
  .describe(
    'Which certificate visitors get: `own`, the uploaded one, or `automatic`, the one that we order. The other one takes its ' +
      'place while the preferred one is missing or not valid.',
  );

/** Body of uploadDomainCertificate. */
export const newOwnCertificateSchema = z
  .strictObject({
    certificate: z
      .string()
      .max(MAX_CHAIN_LENGTH)
      .describe('The chain in PEM, the certificate of the domain first, each followed by the one that signed it.'),
    privateKey: z
      .string()
      .max(MAX_KEY_LENGTH)
      .describe(
        'The private key in PEM, without a passphrase: RSA of 2048 to 4096 bits, or ECDSA with P-256 or P-384. It is ' +
          'stored encrypted, and no answer contains it.',
      ),
    trust: z
      .enum(certificateTrusts)
      .default('public')
      .describe(
        '`public`: the chain must lead to a root that browsers trust. `private`: your visitors trust another root.',
      ),
    prefer: preferSchema.default('own'),
  })
  .meta({
    id: 'NewOwnCertificate',
    description: 'A certificate of your own, with its key.',
    example: {
      certificate: '-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWg…\n-----END CERTIFICATE-----\n',
      privateKey: '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG…\n-----END PRIVATE KEY-----\n',
    },
  });

export type NewOwnCertificate = z.infer<typeof newOwnCertificateSchema>;

/** Body of updateDomainCertificate. */
export const certificatePreferenceSchema = z.strictObject({ prefer: preferSchema }).meta({
  id: 'CertificatePreference',
  description: 'Which certificate visitors get.',
  example: { prefer: 'automatic' },
});

export type CertificatePreference = z.infer<typeof certificatePreferenceSchema>;

const ownCertificateExample = {
  id: '4f1c9d2e-7a63-4b58-8e0d-9c2b1a3f4d5e',
  state: 'active',
  isServed: true,
  prefer: 'own',
  trust: 'public',
  names: ['docs.example.com', '*.docs.example.com'],
  issuer: 'Example Issuing CA',
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-05-01T00:00:00.000Z',
  fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  uploadedAt: '2026-11-02T09:10:00.000Z',
  revocation: { result: 'good', checkedAt: '2026-11-02T09:10:02.000Z', detail: null },
};

export const ownCertificateSchema = z
  .object({
    id: z.uuid(),
    state: z
      .enum(ownCertificateStates)
      .describe(
        '`checking`: we read the revocation list of its certificate authority, which takes seconds; visitors get the ' +
          'certificate that they had. `active`: it can be served. `expired` and `revoked`: visitors get the automatic one.',
      ),
    isServed: z.boolean().describe('Whether it is the certificate that visitors get.'),
    prefer: preferSchema,
    trust: z.enum(certificateTrusts),
    names: z.array(z.string()).readonly().describe('The DNS names of the certificate.'),
    issuer: z.string(),
    notBefore: instantSchema,
    notAfter: instantSchema.describe('When it, or the first certificate of its chain, expires.'),
    fingerprint: z.string().describe('SHA-256 of the certificate (DER), in lower-case hexadecimal digits.'),
    uploadedAt: instantSchema,
    revocation: z
      .object({
        result: z
          .enum(revocationCheckResults)
          .nullable()
          .describe(
            'What the last check found; `unknown` if the list could not be used. Null before, and without a list.',
          ),
        checkedAt: instantSchema.nullable(),
        detail: z.string().nullable(),
      })
      .readonly()
      .describe('The check of the revocation list that the certificate names, daily.'),
  })
  .readonly()
  .meta({
    id: 'OwnCertificate',
    description: 'A certificate that the owner uploaded. Its key is never returned.',
    example: ownCertificateExample,
  });

export type OwnCertificate = z.infer<typeof ownCertificateSchema>;

/** Certificates of a domain, uploaded and automatic, and the one that visitors get. */
export const certificateChoiceSchema = z
  .object({
    source: z.enum(certificateSources).nullable().describe('Which one visitors get; null while there is none.'),
    own: ownCertificateSchema.nullable(),
    automatic: domainCertificateSchema.nullable(),
  })
  .readonly()
  .meta({
    id: 'CertificateChoice',
    description: 'The certificates of a domain: the uploaded one, and the one that we order.',
    example: { source: 'own', own: ownCertificateExample, automatic: null },
  });

export type CertificateChoice = z.infer<typeof certificateChoiceSchema>;

/** Query of deleteDomainCertificate. */
export const certificateRemovalQuerySchema = z.strictObject({
  force: flagSchema('Delete it even if visitors then get an error, since there is no valid automatic certificate.'),
});

export type CertificateRemovalQuery = z.infer<typeof certificateRemovalQuerySchema>;
