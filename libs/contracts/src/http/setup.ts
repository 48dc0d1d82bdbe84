import { z } from 'zod';
import { certificateStates } from '../enums.js';
import { domainPathSchema, domainSchema } from './domains.js';
import { domainExample } from './domains.example.js';
import { instantSchema, textSchema } from './scalars.js';

const DAY_SECONDS = 24 * 60 * 60;

/** Live set-up links of a domain. */
export const MAX_SETUP_LINKS = 20;
/** Origins to which pages of set-up links may lead back. */
const MAX_RETURN_ORIGINS = 20;
/** The longest address for help. */
const MAX_SUPPORT_ADDRESS = 300;
/** Longer tokens are none. */
const MAX_TOKEN = 200;

/** Body of createSetupLink. */
export const newSetupLinkSchema = z
  .strictObject({
    expiresIn: z
      .int()
      .min(300)
      .max(30 * DAY_SECONDS)
      .default(7 * DAY_SECONDS)
      .describe('Seconds until the link ends.'),
    returnUrl: z
      .url({ protocol: /^https$/, error: 'must be an https URL' })
      .max(2_000)
      .optional()
      .describe(
        'Where the page offers to go back to. Its origin has to be one of `returnOrigins` of the set-up page (putSetupPage).',
      ),
  })
  .meta({ id: 'NewSetupLink', description: 'A set-up link to create.', example: { expiresIn: 7 * DAY_SECONDS } });

export type NewSetupLink = z.infer<typeof newSetupLinkSchema>;

const linkFields = {
  id: z.uuid(),
  createdAt: instantSchema,
  expiresAt: instantSchema,
  returnUrl: z.string().nullable(),
};

const linkExample = {
  id: 'a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70',
  createdAt: '2026-11-02T09:00:00.000Z',
  expiresAt: '2026-11-09T09:00:00.000Z',
  returnUrl: null,
};

/** A set-up link as listed: everything but its address. */
export const setupLinkSchema = z
  .object(linkFields)
  .readonly()
  .meta({ id: 'SetupLink', description: 'A link with which the owner of a domain sets it up.', example: linkExample });

export type SetupLink = z.infer<typeof setupLinkSchema>;

export const createdSetupLinkSchema = z
  .object({ ...linkFields, url: z.string().describe('The link, which is shown only once.') })
  .readonly()
  .meta({
    id: 'CreatedSetupLink',
    description: 'A new set-up link.',
    example: { ...linkExample, url: 'https://pets.example/setup#Zk3v0yVQ6cT1d8mRkqJ2x0o7l9nUeWb5sHf4gAiXtPM' },
  });

export type CreatedSetupLink = z.infer<typeof createdSetupLinkSchema>;

export const setupLinkPathSchema = z.strictObject({
  ...domainPathSchema.shape,
  setupLinkId: z.uuid().meta({ description: 'The id of the link.', example: linkExample.id }),
});

/** The least contrast of white text on the colour (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

const setupPageFields = {
  name: textSchema(60).nullable().describe('Your name, as the owners of domains know it.'),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour such as #1a5fb4' })
    .refine((color) => contrastWithWhite(color) >= MIN_CONTRAST, {
      error: `must be darker: white text on it needs a contrast of ${MIN_CONTRAST} to 1`,
    })
    .nullable()
    .describe('Background of buttons, with white text.'),
  supportAddress: z
    .union([z.email().max(MAX_SUPPORT_ADDRESS), z.url({ protocol: /^https$/ }).max(MAX_SUPPORT_ADDRESS)], {
      error: 'must be an e-mail address or an https URL',
    })
    .nullable()
    .describe('Where the owner of a domain finds help.'),
  returnOrigins: z
    .array(
      z
        .url({ protocol: /^https$/, error: 'must be an https origin' })
        .max(300)
        .refine((origin) => URL.canParse(origin) && new URL(origin).origin === origin, {
          error: 'must be an origin, such as https://app.example.com',
        }),
    )
    .max(MAX_RETURN_ORIGINS)
    .readonly()
    .describe('Origins of your own pages to which a set-up link may lead back.'),
};

const pageExample = {
  name: 'Acme',
  color: '#1a5fb4',
  supportAddress: 'help@acme.example',
  returnOrigins: ['https://app.acme.example'],
};

/** Body of putSetupPage. */
export const newSetupPageSchema = z.strictObject(setupPageFields).meta({
  id: 'NewSetupPage',
  description: 'What the pages of set-up links show of your organization, but for its logo.',
  example: pageExample,
});

export type NewSetupPage = z.infer<typeof newSetupPageSchema>;

/** Limits on logos. */
export const setupLogoLimits = {
  /** The most bytes of the file that is sent, and of the one that we write. */
  bytes: 64 * 1024,
  /** The longest side. */
  pixels: 1_024,
} as const;

const logoExample = {
  url: 'https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp',
  width: 320,
  height: 80,
};

export const setupLogoSchema = z
  .object({
    url: z.string().describe('The image, in WebP. It has another address when it is another image.'),
    width: z.int().describe('In pixels.'),
    height: z.int().describe('In pixels.'),
  })
  .readonly()
  .meta({ id: 'SetupLogo', description: 'The logo on the pages of set-up links.', example: logoExample });

export type SetupLogo = z.infer<typeof setupLogoSchema>;

/** The look of the pages of all set-up links of an organization. */
export const setupPageSchema = z.object({ ...setupPageFields, logo: setupLogoSchema.nullable() }).meta({
  id: 'SetupPage',
  description: 'What the pages of set-up links show of your organization.',
  example: { ...pageExample, logo: logoExample },
});

export type SetupPage = z.infer<typeof setupPageSchema>;

/** Body of createSetupSession. */
export const newSetupSessionSchema = z
  .strictObject({
    token: z
      .string()
      .max(MAX_TOKEN)
      .describe('The part of the link after `#`, or a token of this operation that is still valid.'),
  })
  .meta({
    id: 'NewSetupSession',
    description: 'A set-up link to open.',
    example: { token: 'Zk3v0yVQ6cT1d8mRkqJ2x0o7' },
  });

export type NewSetupSession = z.infer<typeof newSetupSessionSchema>;

export const setupSessionSchema = z
  .object({
    token: z.string().describe('For the operations below `/v1/setup`: `Authorization: Bearer <token>`.'),
    expiresAt: instantSchema.describe('Afterwards, or soon before, send the token to this operation for another one.'),
  })
  .readonly()
  .meta({
    id: 'SetupSession',
    description: 'A token for the page of a set-up link.',
    example: { token: 'setup.a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70.1793613600.mac', expiresAt: linkExample.expiresAt },
  });

export type SetupSession = z.infer<typeof setupSessionSchema>;

/** A domain as its owner sees it by a set-up link: without ids, projects and people. */
const setupDomainSchema = domainSchema
  .unwrap()
  .pick({
    name: true,
    unicodeName: true,
    apexName: true,
    state: true,
    misconfigured: true,
    createdAt: true,
    verifiedAt: true,
    liveAt: true,
    records: true,
    dns: true,
    ownership: true,
    readiness: true,
    issues: true,
  })
  .extend({
    certificate: z
      .object({ state: z.enum(certificateStates), issuer: z.string().nullable(), notAfter: instantSchema.nullable() })
      .readonly()
      .nullable(),
    isSuspended: z.boolean().describe('Whether visitors get 410 instead of the site.'),
  })
  .readonly()
  .meta({ id: 'SetupDomain', description: 'A domain, as its owner sees it by a set-up link.' });

export type SetupDomain = z.infer<typeof setupDomainSchema>;

export const setupSchema = z
  .object({
    domains: z
      .array(setupDomainSchema)
      .readonly()
      .describe('The domain, and the other name of its pair if it has one.'),
    name: setupPageFields.name,
    color: z.string().nullable(),
    supportAddress: z.string().nullable(),
    logo: setupLogoSchema.nullable(),
    returnUrl: z.string().nullable(),
    platform: z.string().describe('The domain of the platform, which runs the page.'),
    expiresAt: instantSchema.describe('When the link ends.'),
  })
  .readonly()
  .meta({
    id: 'Setup',
    description: 'What a set-up link shows.',
    example: {
      domains: [setupExample()],
      name: 'Acme',
      color: '#1a5fb4',
      supportAddress: 'help@acme.example',
      logo: logoExample,
      returnUrl: null,
      platform: 'pets.example',
      expiresAt: linkExample.expiresAt,
    },
  });

export type Setup = z.infer<typeof setupSchema>;

function setupExample(): SetupDomain {
  const { certificate } = domainExample;
  return setupDomainSchema.parse({ ...domainExample, certificate, isSuspended: false });
}

/** Contrast of white on a colour (WCAG 2.2, relative luminance). */
function contrastWithWhite(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number]; // as many as there are offsets
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
