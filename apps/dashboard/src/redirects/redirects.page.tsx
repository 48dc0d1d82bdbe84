import { NativeSelect, Text } from '@mantine/core';
import { trailingSlashes, type TrailingSlash } from '@pets/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Loaded } from '../components/loaded.js';
import { Page, Section, SymptomHelp } from '../components/page.js';
import { troubleshootingStrings } from '../domains/domain-strings.js';
import { domainConfigQuery, domainsQuery } from '../domains/domains.queries.js';
import { projectQuery } from '../projects/projects.queries.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { RedirectsEditor } from './redirects-editor.js';
import { TestUrl } from './test-url.js';

const text = {
  title: 'Addresses of pages',
  label: 'A slash at the end',
  hint: 'The other form redirects to it.',
  choices: {
    auto: 'As the files are: /docs/ for docs/index.html, /about for about.html',
    always: 'Always: /docs/ and /about/',
    never: 'Never: /docs and /about',
  },
  saved: 'Addresses changed.',
} as const satisfies { readonly choices: Record<TrailingSlash, string> } & Record<string, unknown>;

interface AddressesProps {
  readonly projectId: string;
  readonly trailingSlash: TrailingSlash;
}

/** Whether the addresses of pages end in a slash. A choice is saved at once. */
function Addresses({ projectId, trailingSlash }: AddressesProps) {
  const mayChange = useMay()('updateProject');
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (chosen: TrailingSlash) =>
      dataOf(
        api().PATCH('/v1/projects/{projectId}', {
          params: { path: { projectId } },
          body: { trailingSlash: chosen },
        }),
      ),
    onSuccess: async () => {
      announce(text.saved);
      await queryClient.invalidateQueries(projectQuery(projectId));
    },
  });
  return (
    <Section title={text.title} isCard>
      <NativeSelect
        label={text.label}
        description={text.hint}
        disabled={!mayChange}
        value={save.isPending ? save.variables : trailingSlash}
        data={trailingSlashes.map((value) => ({ value, label: text.choices[value] }))}
        onChange={({ currentTarget }) => {
          const chosen = trailingSlashes.find((value) => value === currentTarget.value);
          if (chosen !== undefined && !save.isPending) save.mutate(chosen);
        }}
      />
      <ActionError error={save.error} />
    </Section>
  );
}

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
