import { z } from 'zod';
import { certificateStates, challengeMethods, readinessStates } from '../enums.js';
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
