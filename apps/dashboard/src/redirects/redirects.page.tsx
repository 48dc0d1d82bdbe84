import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { domainsQuery } from '../domains/domains.queries.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Section } from '../parts/section.js';
import { SymptomHelp } from '../parts/symptom-help.js';
import { strings } from '../strings.js';
import { domainConfigQuery } from './domain-config.query.js';
import { RedirectsEditor } from './redirects-editor.js';

/** Which domain is the primary one, and which redirect. */
export default function RedirectsPage({ projectId }: { readonly projectId: string }) {
  const domains = useQuery(domainsQuery(projectId));
  const config = useQuery(domainConfigQuery(projectId));
  return (
    <Page title={strings.redirects.title} above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}>
      <Loaded query={domains}>
        {(list) => (
          <Loaded query={config}>
            {(loaded) => (
              // What was loaded anew replaces what was being edited only when it is another configuration.
              <RedirectsEditor
                key={loaded.etag}
                projectId={projectId}
                names={list.map(({ name }) => name)}
                loaded={loaded}
              />
            )}
          </Loaded>
        )}
      </Loaded>
      <Section title={strings.troubleshooting.title}>
        <SymptomHelp {...strings.troubleshooting.redirects} />
      </Section>
    </Page>
  );
}
