import { Button, NativeSelect, Text } from '@mantine/core';
import { displayName, type Domain } from '@pets/contracts';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton, ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';

const DAY_SECONDS = 24 * 60 * 60;
const validDays = [1, 7, 30] as const;

/** The texts about set-up links. */
const setupLinkStrings = {
  action: 'Send a set-up link',
  title: (name: string) => `Set-up link for ${name}`,
  text:
    'Send the link to whoever runs the DNS. Its page shows the records, checks them, and says what is wrong, without an ' +
    'account. Everybody who has the link can open it until it ends.',
  what: 'Set-up link',
  saved: 'I have copied this link',
  create: 'Create link',
  valid: 'Valid for',
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  links: 'Live links',
  created: 'Created',
  ends: 'Ends',
  actions: 'Actions',
  end: 'End',
  ended: 'Set-up link ended.',
};

interface SetupLinksProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'state'>;
}

/** A button for members that opens the set-up links of a domain that is not live. */
export function SetupLinks({ projectId, domain }: SetupLinksProps) {
  const may = useMay();
  const [isOpened, setOpened] = useState(false);
  const isNeeded = domain.state === 'awaiting_dns' || domain.state === 'verified';
  // A new link is shown once, so the dialog stays when the domain goes live.
  if (!may('createSetupLink') || !(isNeeded || isOpened)) return null;
  return (
    <div slot="actions">
      <Button variant="default" onClick={() => setOpened(true)}>
        {setupLinkStrings.action}
      </Button>
      <SecretDialog
        opened={isOpened}
        onClose={() => setOpened(false)}
        title={setupLinkStrings.title(displayName(domain))}
        what={setupLinkStrings.what}
        confirm={setupLinkStrings.saved}
        form={(onCreated) => <LinksForm projectId={projectId} domainId={domain.id} onCreated={onCreated} />}
      />
    </div>
  );
}

const linksQuery = (projectId: string, domain: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', domain, 'setup-links'],
    queryFn: ({ signal }) => {
      const params = { path: { projectId, domain } };
      return dataOf(api().GET('/v1/projects/{projectId}/domains/{domain}/setup-links', { params, signal }));
    },
  });

interface LinksFormProps {
  readonly projectId: string;
  readonly domainId: string;
  readonly onCreated: (url: string) => void;
}

function LinksForm({ projectId, domainId: domain, onCreated }: LinksFormProps) {
  const queryClient = useQueryClient();
  const [days, setDays] = useState('7');
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/projects/{projectId}/domains/{domain}/setup-links', {
          params: { path: { projectId, domain } },
          body: { expiresIn: Number(days) * DAY_SECONDS },
        }),
      ),
    onSuccess: async ({ url }) => {
      onCreated(url);
      await queryClient.invalidateQueries(linksQuery(projectId, domain));
    },
  });
  return (
    <ActionForm label={setupLinkStrings.create} action={create} onSubmit={() => create.mutate()}>
      <Text>{setupLinkStrings.text}</Text>
      <NativeSelect
        label={setupLinkStrings.valid}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={validDays.map((count) => ({ value: String(count), label: setupLinkStrings.days(count) }))}
        data-autofocus
      />
      <LiveLinks projectId={projectId} domain={domain} />
    </ActionForm>
  );
}

/** The links that have not ended, each with a button that ends it. */
function LiveLinks({ projectId, domain }: { readonly projectId: string; readonly domain: string }) {
  const queryClient = useQueryClient();
  const links = useQuery(linksQuery(projectId, domain));
  const end = useMutation({
    mutationFn: (setupLinkId: string) =>
      dataOf(
        api().DELETE('/v1/projects/{projectId}/domains/{domain}/setup-links/{setupLinkId}', {
          params: { path: { projectId, domain, setupLinkId } },
        }),
      ),
    onSuccess: () => announce(setupLinkStrings.ended),
    // Also when somebody else has ended it.
    onSettled: () => queryClient.invalidateQueries(linksQuery(projectId, domain)),
  });
  return (
    <Loaded query={links}>
      {(live) =>
        live.length > 0 && (
          <>
            <ActionError error={end.error} />
            <DataTable
              label={setupLinkStrings.links}
              rows={live}
              keyOf={({ id }) => id}
              columns={[
                {
                  header: setupLinkStrings.created,
                  kind: 'title',
                  cell: ({ createdAt }) => <Instant at={createdAt} />,
                },
                { header: setupLinkStrings.ends, cell: ({ expiresAt }) => <Instant at={expiresAt} mayBeAhead /> },
                {
                  header: setupLinkStrings.actions,
                  kind: 'tight',
                  cell: ({ id }) => (
                    <ActionButton size="xs" variant="default" isBusy={end.isPending} onClick={() => end.mutate(id)}>
                      {setupLinkStrings.end}
                    </ActionButton>
                  ),
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}
