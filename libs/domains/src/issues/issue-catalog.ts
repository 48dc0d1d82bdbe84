import type { IssueCode } from '@pets/contracts';
import { addressIssues } from './address-issues.js';
import { caaIssues } from './caa-issues.js';
import { certificateIssues } from './certificate-issues.js';
import { delegationIssues } from './delegation-issues.js';
import type { IssueEntry } from './issue-entry.js';
import { orderIssues } from './order-issues.js';
import { ownCertificateIssues } from './own-certificate-issues.js';
import { ownershipIssues } from './ownership-issues.js';
import { planIssues } from './plan-issues.js';
import { recordIssues } from './record-issues.js';
import { zoneIssues } from './zone-issues.js';

/** Every issue. The compiler names a code without an entry. */
export const issueCatalog: Readonly<Record<IssueCode, IssueEntry>> = {
  ...recordIssues,
  ...addressIssues,
  ...zoneIssues,
  ...ownershipIssues,
  ...delegationIssues,
  ...caaIssues,
  ...orderIssues,
  ...certificateIssues,
  ...ownCertificateIssues,
  ...planIssues,
};
