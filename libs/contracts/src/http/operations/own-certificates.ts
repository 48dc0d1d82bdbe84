import { domainPathSchema } from '../domains.js';
import {
  certificateChoiceSchema,
  certificatePreferenceSchema,
  certificateRemovalQuerySchema,
  MAX_UPLOAD_BYTES,
  newOwnCertificateSchema,
} from '../certificates.js';
import type { Operations } from './operation.js';

const one = {
  tag: 'domains',
  stability: 'beta',
  path: '/v1/projects/{projectId}/domains/{domain}/certificate',
  params: domainPathSchema,
} as const;

const both = { description: 'Both certificates.', schema: certificateChoiceSchema } as const;

export const ownCertificateOperations = {
  getDomainCertificate: {
    ...one,
    method: 'get',
    summary: 'Get a domain’s certificates',
    description: 'The uploaded certificate, the automatic one, and which of them visitors get.',
    scope: 'domains:read',
    answers: { 200: both },
    errors: ['not_found'],
  },
  uploadDomainCertificate: {
    ...one,
    method: 'put',
    summary: 'Upload a certificate',
    description:
      'Serves a certificate of your own instead of the automatic one, which stays as the fallback and is still renewed. An ' +
      'earlier uploaded certificate is replaced without an interruption. If the certificate names a revocation list, ' +
      'we read it first, within seconds, and daily from then on; a list that cannot be reached does not prevent anything. ' +
      'Possible in every state of the domain but `removed`, up to 20 times an hour. Sending the same certificate again ' +
      'changes only `prefer`. The body may have 256 KiB.',
    scope: 'domains:write',
    body: { schema: newOwnCertificateSchema, maxBytes: MAX_UPLOAD_BYTES },
    answers: { 200: both },
    errors: [
      'not_found',
      'invalid_certificate',
      'invalid_private_key',
      'certificate_key_mismatch',
      'certificate_name_mismatch',
      'certificate_expired',
      'certificate_untrusted',
    ],
  },
  updateDomainCertificate: {
    ...one,
    method: 'patch',
    summary: 'Choose a domain’s certificate',
    description: 'Chooses between the uploaded and the automatic certificate, without an interruption.',
    scope: 'domains:write',
    body: { schema: certificatePreferenceSchema },
    answers: { 200: both },
    errors: ['not_found'],
  },
  deleteDomainCertificate: {
    ...one,
    method: 'delete',
    summary: 'Delete the uploaded certificate',
    description:
      'Returns to the automatic certificate without an interruption, and deletes the uploaded key. While there is no valid ' +
      'automatic certificate and visitors get the uploaded one, the answer is 409, unless `force` is `true`.',
    scope: 'domains:write',
    query: certificateRemovalQuerySchema,
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found', 'automatic_certificate_missing'],
  },
} as const satisfies Operations;
