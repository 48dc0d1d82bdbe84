export * from './http/refusals.js';
export * from './http/error-descriptions.js';
export * from './http/api-keys.js';
export * from './http/people.js';
export * from './http/sign-in.js';
export * from './http/audit-events.js';
export { int64Schema } from './http/scalars.js';
export * from './http/store.js';
export * from './http/organization.js';
export {
  domainConfigSchema,
  listProjectsQuerySchema,
  MAX_REDIRECTS,
  newProjectSchema,
  projectChangeSchema,
  type DomainConfig,
  type Hsts,
  type ListProjectsQuery,
  type NewProject,
  type Project,
  type ProjectChange,
} from './http/projects.js';
export * from './http/deployments.js';
export * from './http/channels.js';
export * from './http/explanations.js';
export * from './http/origins.js';
export * from './http/suspensions.js';
export * from './http/domain-batches.js';
export * from './http/certificates.js';
export * from './http/domain-imports.js';
export * from './http/domains.js';
export * from './http/domain-labels.js';
export * from './http/domain-lists.js';
export * from './http/domain-changes.js';
export * from './http/setup.js';
export {
  listWebhookEndpointsQuerySchema,
  newWebhookEndpointSchema,
  rotateWebhookSecretQuerySchema,
  webhookEndpointChangeSchema,
  webhookListenersQuerySchema,
  type CreatedWebhookEndpoint,
  type ListenedDelivery,
  type ListWebhookEndpointsQuery,
  type NewWebhookEndpoint,
  type RotateWebhookSecretQuery,
  type WebhookEndpoint,
  type WebhookEndpointChange,
  type WebhookListener,
  type WebhookListenersQuery,
  type WebhookListening,
} from './http/webhooks.js';
export * from './http/webhook-deliveries.js';
export * from './http/webhook-events.js';
export * from './http/operations/operation.js';
export * from './http/operations/operations.js';
export * from './audit-enums.js';
export * from './enums.js';
export * from './roles.js';
export * from './display-name.js';
export * from './wire/events.js';
export * from './wire/jobs.js';
export * from './wire/edge-feed.js';
