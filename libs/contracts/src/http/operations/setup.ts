import { z } from 'zod';
import { domainPathSchema } from '../domains.js';
import {
  createdSetupLinkSchema,
  MAX_SETUP_LINKS,
  newSetupLinkSchema,
  newSetupPageSchema,
  newSetupSessionSchema,
  setupLinkPathSchema,
  setupLinkSchema,
  setupLogoLimits,
  setupLogoSchema,
  setupPageSchema,
  setupSchema,
  setupSessionSchema,
} from '../setup.js';
import type { Operations } from './operation.js';

const common = { tag: 'set-up', stability: 'beta' } as const;
const links = { ...common, path: '/v1/projects/{projectId}/domains/{domain}/setup-links' } as const;

const streamExample = `retry: 1000
event: ready
data: {}

event: changed
data: {}

`;

/** Operations of members about set-up links, and those of a link itself, below `/v1/setup`. */
export const setupOperations = {
  listSetupLinks: {
    ...links,
    method: 'get',
    summary: 'List set-up links',
    description: 'The links of the domain that have not ended, newest first.',
    scope: 'domains:read',
    params: domainPathSchema,
    answers: { 200: { description: 'The links.', schema: z.array(setupLinkSchema) } },
    errors: ['not_found'],
  },
  createSetupLink: {
    ...links,
    method: 'post',
    summary: 'Create a set-up link',
    description:
      'Returns a link, which is shown only once and which you send to whoever has access to the DNS of the domain. Its page shows ' +
      'the records, checks them, and says what is wrong, without an account; of a pair it shows both names. Everybody who has the ' +
      `link can open it until it ends. A domain has at most ${MAX_SETUP_LINKS} links at a time. A link also ends when the ` +
      'domain is removed, moved or lost.',
    scope: 'domains:write',
    params: domainPathSchema,
    body: { schema: newSetupLinkSchema },
    answers: { 201: { description: 'The link.', schema: createdSetupLinkSchema } },
    errors: ['not_found', 'conflict'],
  },
  deleteSetupLink: {
    ...links,
    path: '/v1/projects/{projectId}/domains/{domain}/setup-links/{setupLinkId}',
    method: 'delete',
    summary: 'End a set-up link',
    description: 'Its page, where it is open, ends within a second.',
    scope: 'domains:write',
    isAllowedWhileSuspended: true,
    params: setupLinkPathSchema,
    answers: { 204: { description: 'Ended.' } },
    errors: ['not_found'],
  },
  getSetupPage: {
    ...common,
    method: 'get',
    path: '/v1/setup-page',
    summary: 'Read the look of set-up pages',
    description: 'What the pages of all set-up links of the organization show.',
    scope: 'domains:read',
    answers: { 200: { description: 'The settings.', schema: setupPageSchema } },
  },
  putSetupPage: {
    ...common,
    method: 'put',
    path: '/v1/setup-page',
    summary: 'Change the look of set-up pages',
    description:
      'Replaces the settings, and keeps the logo. A link whose `returnUrl` has an origin that is no longer listed offers no way ' +
      'back.',
    scope: 'domains:write',
    body: { schema: newSetupPageSchema },
    answers: { 200: { description: 'The settings.', schema: setupPageSchema } },
  },
  putSetupLogo: {
    ...common,
    method: 'put',
    path: '/v1/setup-page/logo',
    summary: 'Change the logo of set-up pages',
    description:
      'The image is decoded and written again as a WebP, without metadata, and everybody who has its address can read that. ' +
      'It takes the place of the logo before it, whose address then answers 404.',
    scope: 'domains:write',
    body: {
      mediaTypes: ['image/png', 'image/webp'],
      maxBytes: setupLogoLimits.bytes,
      description:
        `A PNG or a WebP of at most ${setupLogoLimits.bytes / 1024} KiB and ${setupLogoLimits.pixels} × ` +
        `${setupLogoLimits.pixels} pixels that is not animated. Pages show it at most 40 pixels high.`,
    },
    answers: { 200: { description: 'The logo.', schema: setupLogoSchema } },
    errors: ['invalid_logo'],
  },
  deleteSetupLogo: {
    ...common,
    method: 'delete',
    path: '/v1/setup-page/logo',
    summary: 'Remove the logo of set-up pages',
    description: 'Its address answers 404 from then on; browsers may have a copy.',
    scope: 'domains:write',
    isAllowedWhileSuspended: true,
    answers: { 204: { description: 'Removed, or there was none.' } },
  },
  createSetupSession: {
    ...common,
    method: 'post',
    path: '/v1/setup/sessions',
    summary: 'Open a set-up link',
    description: 'Exchanges the token of a link for one that is valid for an hour.',
    holder: 'anybody',
    body: { schema: newSetupSessionSchema },
    answers: { 201: { description: 'The token.', schema: setupSessionSchema } },
  },
  getSetup: {
    ...common,
    method: 'get',
    path: '/v1/setup',
    summary: 'Read the domain of a set-up link',
    description: 'The domain of the link, and the other name of its pair.',
    holder: 'setup_link',
    answers: { 200: { description: 'The domains.', schema: setupSchema } },
  },
  watchSetup: {
    ...common,
    method: 'post',
    path: '/v1/setup/watch',
    summary: 'Check the DNS of a set-up link while somebody looks',
    description: 'As watchDomain, for the domain of the link and the other name of its pair.',
    holder: 'setup_link',
    answers: { 200: { description: 'The domains.', schema: setupSchema } },
  },
  streamSetup: {
    ...common,
    method: 'get',
    path: '/v1/setup/events',
    summary: 'Follow the domain of a set-up link',
    description:
      '`changed` means that the page should read the domain again. An idle stream sends a comment every 15 seconds. The stream ' +
      'ends with the link, and when the server stops: open it again.',
    holder: 'setup_link',
    answers: { 200: { description: 'The stream.', stream: streamExample, headers: ['X-Accel-Buffering'] } },
  },
} as const satisfies Operations;
