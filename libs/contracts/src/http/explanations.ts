import { z } from 'zod';
import { MAX_HOPS } from '../enums.js';
import { projectExample } from './projects.js';

/** Query of explainUrl. */
export const explainQuerySchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .max(2_000)
    .meta({
      description: 'A URL of a host of the project. Its port does not matter.',
      example: 'https://docs.example.com/old',
    }),
});

export type ExplainQuery = z.infer<typeof explainQuerySchema>;

/** Causes of an answer. */
const hopReasons = [
  'https',
  'domain_redirect',
  'address',
  'rule',
  'file',
  'not_found_page',
  'not_found',
  'not_published',
  'certificate_pending',
  'suspended',
  'malformed',
  'application',
] as const;

const hopSchema = z
  .object({
    url: z.string(),
    status: z.int().min(200).max(599).nullable().describe('Null where an application answers.'),
    reason: z.enum(hopReasons).meta({
      description:
        '`https`: plain HTTP redirects to HTTPS. `domain_redirect`: a redirect between domains of the project, or to its ' +
        'primary domain. `address`: the page has another address. `rule`: a line of `_redirects`, or `200.html`. `file`: a ' +
        'file at this address. `not_found_page`: the nearest `404.html`. `application`: the application of the project ' +
        'answers; its status is its own. The others are pages of the platform.',
    }),
    rule: z
      .object({
        line: z.int().min(0).describe('The line of `_redirects`; 0 for `200.html`.'),
        from: z.string(),
        to: z.string(),
        status: z.int(),
      })
      .nullable(),
    file: z.string().nullable().describe('The file of the deployment that is shown.'),
    location: z.string().nullable().describe('Where the answer redirects.'),
    needsLink: z
      .boolean()
      .describe('Whether only visitors with a link of the channel get this answer. All others get 401.'),
  })
  .readonly();

export type Hop = z.infer<typeof hopSchema>;

/** How a chain of answers ends. */
const explanationEnds = ['answer', 'other_host', 'loop', 'too_many_redirects'] as const;

export const explanationSchema = z
  .object({
    hops: z.array(hopSchema).readonly().describe(`At most ${MAX_HOPS}, in the order in which a browser gets them.`),
    end: z.enum(explanationEnds).meta({
      description:
        '`answer`: the last hop is a page. `other_host`: it leads to a host that the project does not serve. `loop`: it leads ' +
        `back to an earlier one. \`too_many_redirects\`: after ${MAX_HOPS} there is still no page.`,
    }),
  })
  .readonly()
  .meta({
    id: 'Explanation',
    description: 'What a browser gets at a URL, hop by hop, and why.',
    example: {
      hops: [
        {
          url: `${projectExample.url}/old`,
          status: 301,
          reason: 'rule',
          rule: { line: 1, from: '/old', to: '/docs/', status: 301 },
          file: null,
          location: `${projectExample.url}/docs/`,
          needsLink: false,
        },
        {
          url: `${projectExample.url}/docs/`,
          status: 200,
          reason: 'file',
          rule: null,
          file: 'docs/index.html',
          location: null,
          needsLink: false,
        },
      ],
      end: 'answer',
    },
  });

export type Explanation = z.infer<typeof explanationSchema>;
