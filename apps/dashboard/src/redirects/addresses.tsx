import { NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { trailingSlashes, type TrailingSlash } from '@pets/contracts';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Section } from '../components/page.js';
import { projectQuery } from '../projects/projects.queries.js';
import { useMay } from '../session/caller.js';

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
export function Addresses({ projectId, trailingSlash }: AddressesProps) {
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
