import { Text, TextInput } from '@mantine/core';
import type { components } from '@pets/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ExternalLink } from '../components/external-link.js';
import { ActionButton, ActionForm, ConfirmRequest } from '../components/form.js';
import { Section } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { ChannelAccess } from './channel-access.js';
import { channelsQuery, deploymentsQuery } from './projects.queries.js';

const text = {
  title: 'Channels',
  hint: 'Addresses that serve a deployment of their own. Search engines do not list them.',
  name: 'Channel',
  address: 'Address',
  access: 'Access',
  accesses: { public: 'Public', link: 'Protected' },
  change: 'Access…',
  deployment: 'Deployment',
  ends: 'Ends',
  bound: (domains: readonly string[]) => `Not while ${domains.join(', ')} serves it`,
  actions: 'Actions',
  remove: 'Remove',
  removeTitle: 'Remove this channel?',
  removeText: (name: string) => `Visitors of ${name} get an error at once. Its deployment is kept.`,
  removed: 'Channel removed.',
  pending: 'Channel removed. Some edges may serve it for a short time.',
  put: 'Put on a channel',
  putHint: 'A new name makes a new channel, for 30 days. The active deployment stays the same.',
  nameHint: 'Lower-case letters and digits, with single hyphens between, such as pr-12.',
  putDone: (name: string) => `The channel ${name} serves the deployment.`,
};

type Channel = components['schemas']['Channel'];
type Deployment = components['schemas']['Deployment'];

interface ChannelListProps {
  readonly projectId: string;
  readonly deployments: readonly Deployment[];
}

/** The channels of a project; nothing where it has none. */
export function ChannelList({ projectId, deployments }: ChannelListProps) {
  const may = useMay();
  const { data: channels = [] } = useQuery(channelsQuery(projectId));
  const [removing, setRemoving] = useState<Channel | null>(null);
  const stop = () => setRemoving(null);
  const [opened, setOpened] = useState<string | null>(null);
  const openedChannel = channels.find(({ name }) => name === opened);
  if (channels.length === 0) return null;
  return (
    <Section title={text.title}>
      <Text c="dimmed">{text.hint}</Text>
      <div className="card" data-flush>
        <DataTable
          label={text.title}
          rows={channels}
          keyOf={({ name }) => name}
          columns={[
            { header: text.name, kind: 'title', cell: ({ name }) => name },
            { header: text.address, cell: ({ url }) => <ExternalLink href={url}>{new URL(url).host}</ExternalLink> },
            { header: text.access, cell: ({ access }) => text.accesses[access] },
            {
              header: text.deployment,
              cell: ({ deploymentId }) => (
                <DeploymentTime deployment={deployments.find(({ id }) => id === deploymentId)} id={deploymentId} />
              ),
            },
            {
              header: text.ends,
              cell: ({ expiresAt, domains }) =>
                expiresAt === null ? text.bound(domains) : <Instant at={expiresAt} mayBeAhead />,
            },
            {
              header: text.actions,
              kind: 'tight',
              isShown: may('putChannel', 'createChannelLink', 'endChannelLinks', 'removeChannel'),
              cell: (channel) => (
                <div className="row-actions">
                  <ActionButton
                    variant="default"
                    size="xs"
                    isBusy={false}
                    aria-label={`${text.access} of ${channel.name}`}
                    onClick={() => setOpened(channel.name)}
                  >
                    {text.change}
                  </ActionButton>
                  {channel.expiresAt !== null && (
                    <ActionButton
                      variant="default"
                      size="xs"
                      isBusy={false}
                      aria-label={`${text.remove} ${channel.name}`}
                      onClick={() => setRemoving(channel)}
                    >
                      {text.remove}
                    </ActionButton>
                  )}
                </div>
              ),
            },
          ]}
        />
      </div>
      {openedChannel !== undefined && (
        <ChannelAccess projectId={projectId} channel={openedChannel} onClose={() => setOpened(null)} />
      )}
      <Dialog opened={removing !== null} onClose={stop} title={text.removeTitle}>
        {removing !== null && <ConfirmRemoval projectId={projectId} name={removing.name} onClose={stop} />}
      </Dialog>
    </Section>
  );
}

/** When a deployment was uploaded, and its message; the start of its id where it is too old for the list. */
function DeploymentTime({ deployment, id }: { readonly deployment: Deployment | undefined; readonly id: string }) {
  if (deployment === undefined) return id.slice(0, 8);
  return (
    <>
      <Instant at={deployment.createdAt} />
      {deployment.message !== null && <p>{deployment.message}</p>}
    </>
  );
}

interface ConfirmRemovalProps {
  readonly projectId: string;
  readonly name: string;
  readonly onClose: () => void;
}

function ConfirmRemoval({ projectId, name, onClose }: ConfirmRemovalProps) {
  const refresh = useRefresh(projectId);
  return (
    <ConfirmRequest
      text={text.removeText(name)}
      label={text.remove}
      request={async () => {
        const params = { path: { projectId, channel: name } };
        const pending = await dataOf(api().DELETE('/v1/projects/{projectId}/channels/{channel}', { params }));
        announce(pending === undefined ? text.removed : text.pending);
      }}
      onDone={async () => {
        onClose();
        await refresh();
      }}
      onCancel={onClose}
    />
  );
}

interface PutOnChannelProps {
  readonly projectId: string;
  /** Null: the dialog is closed. */
  readonly deployment: Deployment | null;
  readonly onClose: () => void;
}

/** A dialog that asks for the name of a channel. */
export function PutOnChannel({ projectId, deployment, onClose }: PutOnChannelProps) {
  return (
    <Dialog opened={deployment !== null} onClose={onClose} title={text.put}>
      {deployment !== null && <PutForm projectId={projectId} deploymentId={deployment.id} onClose={onClose} />}
    </Dialog>
  );
}

interface PutFormProps {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly onClose: () => void;
}

function PutForm({ projectId, deploymentId, onClose }: PutFormProps) {
  const refresh = useRefresh(projectId);
  const [name, setName] = useState('');
  const put = useMutation({
    mutationFn: () =>
      dataOf(
        api().PUT('/v1/projects/{projectId}/channels/{channel}', {
          params: { path: { projectId, channel: name } },
          body: { deploymentId },
        }),
      ),
    onSuccess: async () => {
      onClose();
      announce(text.putDone(name));
      await refresh();
    },
  });
  const { texts, isAtField } = fieldErrorsOf(put.error, ['channel']);
  return (
    <ActionForm label={text.put} action={put} onSubmit={() => put.mutate()} isErrorAtField={isAtField}>
      <Text>{text.putHint}</Text>
      <TextInput
        label={text.name}
        description={text.nameHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={40}
        error={texts.channel}
        required
        data-autofocus
      />
    </ActionForm>
  );
}

function useRefresh(projectId: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all([
      queryClient.invalidateQueries(channelsQuery(projectId)),
      queryClient.invalidateQueries(deploymentsQuery(projectId)),
    ]);
  };
}
