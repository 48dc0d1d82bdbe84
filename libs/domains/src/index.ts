export { displayNameOf, storedNameOf } from './names/unicode-name.js';
export {
  isPublicSuffix,
  pairedName,
  parseDomainName,
  registrableDomainOf,
  type ParsedName,
} from './names/parse-domain-name.js';
export { fitsInDns, ownershipHostFor } from './names/required-hosts.js';
export * from './names/forwarded-metadata.js';
export * from './names/required-records.js';
export * from './names/wildcard-name.js';
export * from './names/reserved-names.js';
export * from './dns/bound-findings.js';
export * from './dns/evaluate-dns.js';
export * from './dns/evaluate-ownership.js';
export * from './dns/evaluate-delegation.js';
export * from './dns/observed-records.js';
export { isPublicAddress } from './dns/address-ranges.js';
export {
  expectedAddresses,
  findAddressFault,
  offeredAddresses,
  shownAddresses,
  type PublicAddress,
} from './dns/public-addresses.js';
export * from './dns/match-by-address.js';
export { addressKey, isSameAddress, parseIpAddress } from './dns/ip-address.js';
export { doubledNameOf, isWildcardProbe, parentOf, wildcardProbeOf, wwwNameOf, zoneProbeOf } from './dns/probes.js';
export { describeCaa, evaluateCaa, type CaaPolicy } from './certificates/evaluate-caa.js';
export * from './certificates/classify-failure.js';
export * from './certificates/renewal.js';
export { findChainFault, findLeafFault, type ChainLink } from './certificates/evaluate-chain.js';
export * from './certificates/own-certificate.js';
export * from './certificates/revocation.js';
export * from './certificates/ca-limits.js';
export * from './certificates/choose-ca.js';
export * from './certificates/ca-selection.js';
export * from './certificates/decide-orders.js';
export * from './certificates/order-queue.js';
export * from './certificates/open-order.js';
export { chooseProbeEdges, type ProbeCandidate } from './edges/choose-probe-edges.js';
export * from './origins/evaluate-health.js';
export * from './schedule/lane-queues.js';
export * from './webhooks/evaluate-attempt.js';
export * from './lifecycle/domain-trigger.js';
export * from './lifecycle/certificate-alert.js';
export * from './lifecycle/evaluate-claim.js';
export * from './lifecycle/order-budget.js';
export * from './lifecycle/interpret-findings.js';
export * from './lifecycle/transition.js';
export * from './lifecycle/platform-certificate.js';
export * from './lifecycle/schedules.js';
export { evaluateReadiness, renewalEndIssue, type DelegationFacts } from './lifecycle/preparation.js';
export * from './certificates/choose-methods.js';
export { isSameJson } from './lifecycle/same-json.js';
export * from './lifecycle/suspension.js';
export { webhookEventTypesOf } from './lifecycle/webhook-event-types.js';
export { evaluateReverify } from './lifecycle/reverify.js';
export * from './config/domain-config.js';
export * from './config/move-config.js';
export { errorCodeOf, failureText } from './failure-text.js';
export { describeIssue, issueCatalog } from './issues/issue-catalog.js';
export { isRecordMissing } from './issues/missing-record.js';
export * from './sites/bundle-files.js';
