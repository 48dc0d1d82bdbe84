import { MAX_HOPS, type Explanation, type Hop } from '@pets/contracts';
import type { Command } from '../command.js';
import { report, type OutcomeStatus } from '../outcome/outcome.js';
import { paragraphs, pluralize, titled } from '../terminal/format.js';

/** `pets redirects test`: what a browser gets at a URL, and why. */
export const testRedirects: Command<[url: string]> = async ({ api, findProjectId }, url) => {
  const params = { path: { projectId: await findProjectId() }, query: { url } };
  const explanation: Explanation = await api.data(api.http.GET('/v1/projects/{projectId}/explain', { params }));
  const { status, reason, message } = summarize(explanation);
  return report(status, reason, message, { result: explanation, text: paragraphs(explanation.hops.map(presentHop)) });
};

function summarize({ hops, end }: Explanation): {
  readonly status: OutcomeStatus;
  readonly reason: string;
  readonly message: string;
} {
  const last = hops.at(-1);
  const redirects = hops.filter(({ location }) => location !== null).length;
  const after = redirects === 0 ? '' : ` after ${pluralize(redirects, 'redirect')}`;
  switch (end) {
    case 'other_host':
      return { status: 'done', reason: end, message: `It leads to ${last?.location ?? 'another host'}${after}.` };
    case 'loop':
      return {
        status: 'refused',
        reason: end,
        message: `It redirects in a loop, back to ${last?.location ?? 'itself'}.`,
      };
    case 'too_many_redirects':
      return { status: 'refused', reason: end, message: `There is no page after ${MAX_HOPS} redirects.` };
    case 'answer': {
      if (last?.reason === 'application')
        return { status: 'done', reason: last.reason, message: `The application of the project answers${after}.` };
      const shown = last?.file ?? 'a page of the platform';
      const message = `It shows ${shown}, with status ${last?.status ?? 0}${after}.`;
      return { status: last?.status === 200 ? 'done' : 'refused', reason: last?.reason ?? 'file', message };
    }
  }
}

function presentHop({ url, status, reason, rule, file, location, needsLink }: Hop): string {
  const line = rule === null ? '' : `${rule.from} ${rule.to} ${rule.status}`;
  const reasons = {
    https: 'plain HTTP redirects to HTTPS',
    domain_redirect: 'a redirect between domains: pets redirects list',
    address: 'the page has this address',
    rule: rule?.line === 0 ? '200.html, where nothing else applies' : `_redirects, line ${rule?.line ?? 0}: ${line}`,
    file: 'a file at this address',
    not_found_page: 'nothing is at this address',
    not_found: 'nothing is at this address, and the deployment has no 404.html',
    not_published: 'the project has no deployment',
    certificate_pending: 'the domain has no certificate yet',
    suspended: 'the site is suspended',
    malformed: 'the address is not valid',
    application: 'the application of the project answers: pets origin show',
  } as const satisfies Record<Hop['reason'], string>;
  const shown = location ?? file;
  const lines = [
    reasons[reason],
    ...(shown === null ? [] : [`→ ${shown}`]),
    ...(needsLink ? ['only with a link of the channel; 401 without: pets channels link'] : []),
  ];
  return titled(status === null ? url : `${status} ${url}`, lines.join('\n'));
}
