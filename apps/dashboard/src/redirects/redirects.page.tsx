import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { domainsQuery } from '../domains/domains.queries.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Section } from '../parts/section.js';
import { SymptomHelp } from '../parts/symptom-help.js';
import { projectQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { domainConfigQuery } from './domain-config.query.js';
import { RedirectsEditor } from './redirects-editor.js';

/** Which domain is the primary one, and which redirect. */
export default function RedirectsPage({ projectId }: { readonly projectId: string }) {
  const domains = useQuery(domainsQuery(projectId));
  const project = useQuery(projectQuery(projectId));
  const config = useQuery(domainConfigQuery(projectId));
  return (
    <Page title={strings.redirects.title} above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}>
      <Loaded query={domains}>
        {(list) => (
          <Loaded query={project}>
            {({ platformUrl }) => (
              <Loaded query={config}>
                {(loaded) => (
                  // A configuration that was loaded again replaces what was being edited only when it is another one.
                  <RedirectsEditor
                    key={loaded.etag}
                    projectId={projectId}
                    hosts={list.map(({ name, unicodeName }) => ({ name, unicodeName }))}
                    platformHost={new URL(platformUrl).hostname}
                    loaded={loaded}
                  />
                )}
              </Loaded>
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
