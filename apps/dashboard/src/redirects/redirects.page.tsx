import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../components/loaded.js';
import { Page, Section, SymptomHelp } from '../components/page.js';
import { domainConfigQuery, domainsQuery } from '../domains/domains.queries.js';
import { projectQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { troubleshootingStrings } from '../domains/domain-strings.js';
import { Addresses } from './addresses.js';
import { RedirectsEditor } from './redirects-editor.js';
import { TestUrl } from './test-url.js';

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
                  // A refresh discards edits only when the configuration has changed.
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
      <Loaded query={project}>
        {({ url, trailingSlash }) => (
          <>
            <Addresses projectId={projectId} trailingSlash={trailingSlash} />
            <TestUrl projectId={projectId} url={url} />
          </>
        )}
      </Loaded>
      <Section title={troubleshootingStrings.title}>
        <SymptomHelp {...troubleshootingStrings.redirects} />
      </Section>
    </Page>
  );
}
