/** Value sets that clients may switch over. Client, dashboard, command line and webhooks derive from these. */

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** How an order can end; each is final. */
export const orderEndings = ['fulfilled', 'cancelled'] as const;
export type OrderEnding = (typeof orderEndings)[number];

export const orderStatuses = ['placed', ...orderEndings] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const plans = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/**
 * What is limited for each organization. A limit has a row for each plan, and an organization may have one of its own. The
 * same name is used in the rows, by the operator's command and in `GET /v1/organization`.
 */
export const limitNames = [
  'requestsPerMinute',
  'eventStreams',
  'concurrentUploads',
  'storageBytes',
  'keptDeployments',
  'apiKeys',
  'projects',
  'domainsPerProject',
  'webhookEndpoints',
] as const;
export type LimitName = (typeof limitNames)[number];

/** What an API key may do. A key holds some of these; every operation under `/v1` but those on sessions asks for one. */
export const scopes = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'domains:read',
  'domains:write',
  'projects:read',
  'projects:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'audit:read',
] as const;
export type Scope = (typeof scopes)[number];

export const deploymentStates = ['ready', 'collected'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const domainStates = ['awaiting_dns', 'verified', 'live', 'removed'] as const;
export type DomainState = (typeof domainStates)[number];

export const certificateStates = ['pending', 'issued', 'failed', 'expired'] as const;

export const ownershipStates = ['not_required', 'pending', 'proven'] as const;

/** What can stand between a domain and `live`. Each has a message and a remediation in `@pets/domains`. */
export const issueCodes = [
  'no_record',
  'cname_mismatch',
  'conflicting_a',
  'conflicting_aaaa',
  'conflicting_records',
  'proxied_by_cdn',
  'apex_cname',
  'apex_cname_to_us',
  'apex_not_pointing_here',
  'ownership_txt_missing',
  'resolver_failed',
  'propagating',
  'caa_forbids',
  'caa_too_large',
  'claimed_elsewhere',
  'http_unreachable',
  'ca_refused',
  'ca_rate_limited',
  'ca_unavailable',
  'not_served_yet',
  'certificate_overdue',
  'renewal_at_risk',
  'certificate_expiring',
  'certificate_expired',
  'dns_lost',
  'dangling_record',
  'plan_ended',
  'suspended',
] as const;
export type IssueCode = (typeof issueCodes)[number];

/**
 * What a domain's owner was told of its certificate last, so that each is told once: none came within half an hour, its
 * renewal is at risk at half of its life, little of it is left, none of it is left.
 */
export const certificateAlerts = ['overdue', 'at_risk', 'expiring', 'expired'] as const;
export type CertificateAlert = (typeof certificateAlerts)[number];

/**
 * Whose turn it is after a failed attempt: the owner's (`user`), the CA's (`rate`: sleep until it says), nobody's in
 * particular (`passing`), or it will never work (`final`).
 */
export type FailureClass = 'user' | 'rate' | 'passing' | 'final';

/** Who has done something: whoever holds a key, or the service by itself. */
export const actorKinds = ['api_key', 'system'] as const;

export const recordTypes = ['CNAME', 'ALIAS', 'TXT', 'A', 'AAAA', 'CAA'] as const;

/**
 * Why something is suspended: the operator suspended it, its plan no longer includes it, or the operator blocked the name.
 * Several causes may hold at once, and each ends on its own.
 */
export const suspensionCauses = ['operator', 'plan', 'blocked_name'] as const;
export type SuspensionCause = (typeof suspensionCauses)[number];

/** What a suspension covers. */
export const suspensionScopes = ['organization', 'project', 'domain'] as const;
export type SuspensionScope = (typeof suspensionScopes)[number];

/** What is recorded in the audit log of an organization. The part before the dot is the kind of what was changed. */
export const auditEventTypes = [
  'organization.created',
  'organization.plan_changed',
  'organization.limit_changed',
  'organization.suspended',
  'organization.resumed',
  'api_key.created',
  'api_key.revoked',
  'session.opened',
  'session.ended',
  'project.created',
  'project.changed',
  'project.config_changed',
  'project.suspended',
  'project.resumed',
  'deployment.created',
  'deployment.activated',
  'deployment.deleted',
  'domain.added',
  'domain.verify_requested',
  'domain.reverify_requested',
  'domain.removed',
  'domain.suspended',
  'domain.resumed',
  'certificate.revocation_requested',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.tested',
  'webhook_endpoint.deleted',
  'webhook_delivery.replayed',
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

/** Who can be the actor of an audit event. */
export const auditActorKinds = ['api_key', 'session', 'operator', 'system'] as const;

export const auditSubjectKinds = [
  'organization',
  'api_key',
  'session',
  'project',
  'deployment',
  'domain',
  'certificate',
  'webhook_endpoint',
  'webhook_delivery',
] as const;
export type AuditSubjectKind = (typeof auditSubjectKinds)[number];

export const redirectStatuses = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** What an endpoint can ask to be told of. The part before the first dot is the kind of resource that comes as `data`. */
export const webhookEventTypes = [
  'domain.added',
  'domain.verified',
  'domain.verification_failed',
  'domain.certificate.issued',
  'domain.certificate.renewed',
  'domain.certificate.failed',
  'domain.live',
  'domain.misconfigured',
  'domain.suspended',
  'domain.resumed',
  'domain.removed',
  'pet.created',
  'order.created',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** What is sent because somebody tries an endpoint; nobody subscribes to it. */
export const WEBHOOK_TEST_TYPE = 'endpoint.test';
export type WebhookMessageType = WebhookEventType | typeof WEBHOOK_TEST_TYPE;

/** `pending`: due, being tried, or waiting for its next try. The others are ends, until somebody asks for a replay. */
export const webhookDeliveryStates = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];

/** Why an endpoint gets nothing: its owner wants it so, it answered 410, or nothing has reached it for days. */
export const webhookDisabledReasons = ['owner', 'gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];
